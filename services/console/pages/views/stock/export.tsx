import { useMutation } from '@tanstack/preact-query';
import { save } from '../../api/call.ts';
import { Problem } from '../../parts/parts.tsx';

/** Saves the products as a file that can be imported. */
export function Export() {
  const saving = useMutation({ mutationFn: () => save('/api/export', 'products.ndjson') });
  return (
    <details class="card">
      <summary>Export products</summary>
      <p class="note">
        All products that have a <code>sku</code>, with a product as JSON in each line. The file can be imported.
      </p>
      <button type="button" disabled={saving.isPending} onClick={() => saving.mutate()}>
        {saving.isPending ? 'Exporting…' : 'Export'}
      </button>
      {saving.isPending && <progress aria-label="Exporting" />}
      <Problem text={saving.error?.message} />
    </details>
  );
}
