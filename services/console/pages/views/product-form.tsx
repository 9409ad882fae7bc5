import { useMutation } from '@tanstack/preact-query';
import type { TargetedSubmitEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type AnswerTo, call, Refused } from '../api/call.ts';
import { atMost, textsOf } from '../parts/form.tsx';
import { Outcome } from '../parts/parts.tsx';

export type Product = AnswerTo<'showProduct'>;

interface ProductFormProps {
  /** By which the page knows it. */
  name: string;
  /** None: a new one is made. */
  product?: Product;
  onSave: () => void;
  /** Called once it is saved, too. */
  onClose: () => void;
}

const price = { pattern: '\\d{1,12}(\\.\\d{1,4})?', title: 'digits, with at most 4 after the point' };
const fields = [
  { field: 'name', label: 'Name', ...atMost(200) },
  { field: 'price', label: 'Price', inputMode: 'decimal', ...price },
  { field: 'unit', label: 'Unit', ...atMost(32) },
] as const;

/**
 * Makes a product, or changes or deletes one in the state in which it was opened. If somebody else has changed it meanwhile, it says how it is now and asks
 * again.
 */
export function ProductForm({ name, product, onSave, onClose }: ProductFormProps) {
  const [version, setVersion] = useState(product?.version ?? '');
  const [isSure, setSure] = useState(false);
  const change = useMutation({ mutationFn: changeBy, scope: { id: 'product' } });
  const first = useRef<HTMLInputElement>(null);
  const path = { id: product?.id ?? '' };

  useLayoutEffect(() => first.current?.focus(), []);

  async function changeBy(work: () => Promise<unknown>) {
    try {
      await work();
      onClose();
      onSave();
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 409) throw error;
      const { name, price, unit, version } = await call('get', '/api/products/{id}', { path });
      setVersion(version);
      throw new Error(`Somebody else was faster. It is now ${name}, ${price} per ${unit}. Save again to replace that.`);
    }
  }
  const save = ({ name = '', price = '', unit = '' }: Record<string, string>) =>
    product === undefined
      ? call('post', '/api/products', { body: { name, price, unit } })
      : call('put', '/api/products/{id}', { path, body: { name, price, unit, version } });
  const remove = () => call('delete', '/api/products/{id}', { path, query: { version } });

  function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    const texts = textsOf(event);
    change.mutate(() => save(texts));
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
            name={field}
            defaultValue={product?.[field]}
            {...attributes}
          />
        </label>
      ))}
      <div class="actions">
        <button type="submit" disabled={change.isPending} aria-label={`Save ${name}`}>
          Save
        </button>
        {product && (
          <button
            type="button"
            class="quiet"
            disabled={change.isPending}
            aria-label={isSure ? `Really delete ${name}` : `Delete ${name}`}
            onClick={() => (isSure ? change.mutate(remove) : setSure(true))}
          >
            {isSure ? 'Really delete' : 'Delete'}
          </button>
        )}
        <button type="button" class="quiet" onClick={onClose}>
          Cancel
        </button>
      </div>
      <Outcome of={change} />
    </form>
  );
}
