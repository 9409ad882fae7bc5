import { useEffect, useRef, useState } from 'preact/hooks';
import { call, Refused, sentenceOf } from '../api/call.ts';
import type { operations } from '../generated/schema.ts';
import { Problem } from '../parts/parts.tsx';

export type Product = operations['showProduct']['responses'][200]['content']['application/json'];

interface ProductFormProps {
  /** By which the page knows it. */
  name: string;
  product: Product;
  onSave: () => void;
  onCancel: () => void;
}

const price = { pattern: '\\d{1,12}(\\.\\d{1,4})?', title: 'digits, with at most 4 after the point' };
const fields = [
  { field: 'name', label: 'Name', maxLength: 200 },
  { field: 'price', label: 'Price', inputMode: 'decimal', ...price },
  { field: 'unit', label: 'Unit', maxLength: 32 },
] as const;

/**
 * Changes a product in the state in which it was opened. If somebody else has changed it meanwhile, it says how it is now and asks
 * again.
 */
export function ProductForm({ name, product, onSave, onCancel }: ProductFormProps) {
  const [{ id, ...draft }, setDraft] = useState(product);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  const path = { id };

  useEffect(() => first.current?.focus(), []);

  async function newVersion() {
    const now = await call('get', '/api/products/{id}', { path });
    setDraft({ id, ...draft, version: now.version });
    return `Somebody else was faster. It is now ${now.name}, ${now.price} per ${now.unit}. Save again to replace that.`;
  }

  async function save(event: Event) {
    event.preventDefault();
    setBusy(true);
    try {
      await call('put', '/api/products/{id}', { path, body: draft });
      onSave();
    } catch (error) {
      const isLate = error instanceof Refused && error.status === 409;
      setProblem(isLate ? await newVersion().catch(sentenceOf) : sentenceOf(error));
      setBusy(false);
    }
  }

  return (
    <form class="product" aria-label={`Change ${name}`} onSubmit={save}>
      {fields.map(({ field, label, ...attributes }, index) => (
        <label key={field}>
          {label}
          <input
            ref={index === 0 ? first : undefined}
            aria-label={`${label} of ${name}`}
            required
            autoComplete="off"
            value={draft[field]}
            onInput={({ currentTarget }) => setDraft({ id, ...draft, [field]: currentTarget.value })}
            {...attributes}
          />
        </label>
      ))}
      <div class="actions">
        <button type="submit" disabled={busy} aria-label={`Save ${name}`}>
          Save
        </button>
        <button type="button" class="quiet" onClick={onCancel}>
          Cancel
        </button>
      </div>
      <Problem text={problem} />
    </form>
  );
}
