import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type AnswerTo, call, Refused, sentenceOf } from '../api/call.ts';
import { Problem } from '../parts/parts.tsx';

export type Product = AnswerTo<'showProduct'>;

interface ProductFormProps {
  /** By which the page knows it. */
  name: string;
  /** None: a new one is made. */
  product?: Product;
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
 * Makes a product, or changes or deletes one in the state in which it was opened. If somebody else has changed it meanwhile, it says how it is now and asks
 * again.
 */
export function ProductForm({ name, product, onSave, onCancel }: ProductFormProps) {
  const [draft, setDraft] = useState({ name: '', price: '', unit: '', version: '', ...product });
  const [isSure, setSure] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  const path = { id: product?.id ?? '' };

  useLayoutEffect(() => first.current?.focus(), []);

  async function newVersion() {
    const now = await call('get', '/api/products/{id}', { path });
    setDraft({ ...draft, version: now.version });
    return `Somebody else was faster. It is now ${now.name}, ${now.price} per ${now.unit}. Save again to replace that.`;
  }

  const save = () => {
    const { name, price, unit, version } = draft;
    if (product === undefined) return call('post', '/api/products', { body: { name, price, unit } });
    return call('put', '/api/products/{id}', { path, body: { name, price, unit, version } });
  };
  const remove = () => call('delete', '/api/products/{id}', { path, query: { version: draft.version } });

  async function act(work: () => Promise<unknown>) {
    setBusy(true);
    try {
      await work();
      onSave();
    } catch (error) {
      const isLate = error instanceof Refused && error.status === 409;
      setProblem(isLate ? await newVersion().catch(sentenceOf) : sentenceOf(error));
      setBusy(false);
    }
  }

  function submit(event: Event) {
    event.preventDefault();
    act(save);
  }

  return (
    <form class="product" aria-label={product ? `Change ${name}` : name} onSubmit={submit}>
      {fields.map(({ field, label, ...attributes }, index) => (
        <label key={field}>
          {label}
          <input
            ref={index === 0 ? first : undefined}
            aria-label={`${label} of ${name}`}
            required
            autoComplete="off"
            value={draft[field]}
            onInput={({ currentTarget }) => setDraft({ ...draft, [field]: currentTarget.value })}
            {...attributes}
          />
        </label>
      ))}
      <div class="actions">
        <button type="submit" disabled={busy} aria-label={`Save ${name}`}>
          Save
        </button>
        {product && (
          <button
            type="button"
            class="quiet"
            disabled={busy}
            aria-label={isSure ? `Really delete ${name}` : `Delete ${name}`}
            onClick={() => (isSure ? act(remove) : setSure(true))}
          >
            {isSure ? 'Really delete' : 'Delete'}
          </button>
        )}
        <button type="button" class="quiet" onClick={onCancel}>
          Cancel
        </button>
      </div>
      <Problem text={problem} />
    </form>
  );
}
