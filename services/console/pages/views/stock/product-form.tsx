import { useMutation } from '@tanstack/preact-query';
import type { TargetedSubmitEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type AnswerTo, call, Refused } from '../../api/call.ts';
import { queries, renew } from '../../api/queries.ts';
import { amountPattern, atMost } from '../../parts/form.tsx';
import { Outcome } from '../../parts/parts.tsx';
import { Grave } from '../../parts/question.tsx';
import { Pictures } from './pictures.tsx';

type Product = AnswerTo<'showProduct'>;
type Images = Product['images'];

/** Content of the form as typed. */
interface Draft {
  name: string;
  price: string;
  unit: string;
  category: string;
  /** In per cent; empty for the store's rate. */
  tax: string;
  sku: string;
  description: string;
  images: Images;
  /** Version of the product that the operator saw; undefined for a new product. */
  version: string | undefined;
}

const empty: Draft = {
  name: '',
  price: '',
  unit: '',
  category: '',
  tax: '',
  sku: '',
  description: '',
  images: [],
  version: undefined,
};
const draftOf = ({ category, taxPermille, description, sku, ...product }: Product): Draft => ({
  ...product,
  category: category ?? '',
  tax: taxPermille === null ? '' : String(taxPermille / 10),
  sku: sku ?? '',
  description: description ?? '',
});

// Unsaved text is there again when the operator returns to the form.
queries.setQueryDefaults(['draft'], { gcTime: Number.POSITIVE_INFINITY });

const fieldsOf = ({ name, price, unit, category, tax, sku, description, images }: Draft) => ({
  name,
  price,
  unit,
  category: category.trim() || null,
  taxPermille: tax.trim() === '' ? null : Math.round(10 * Number(tax)),
  sku: sku.trim() || null,
  description: description.trim() || null,
  images,
});

/** Says how the product differs from the form. */
function differences(product: Product, draft: Draft): string {
  const [theirs, own] = [fieldsOf(draftOf(product)), fieldsOf(draft)];
  const shown = { ...theirs, taxPermille: theirs.taxPermille === null ? null : theirs.taxPermille / 10 };
  const names = Object.keys(theirs) as (keyof typeof theirs)[];
  const said = names
    .filter((name) => JSON.stringify(theirs[name]) !== JSON.stringify(own[name]))
    .map((name) => {
      if (name === 'images') return `images with ${theirs.images.length} pictures`;
      return `${name === 'taxPermille' ? 'tax' : name} ${shown[name] ?? 'none'}`;
    });
  return said.length === 0 ? 'as you have it' : said.join(', ');
}

interface ProductFormProps {
  /** `new` for a new product. */
  id: string;
  product: Product | undefined;
  currency: string;
  categories: string[];
  /** Called with a sentence when the product is saved or deleted, or without one when the form is cancelled. */
  onClose: (done?: string) => void;
}

const tax = { pattern: '100(\\.0)?|\\d{1,2}(\\.\\d)?', title: 'at most 100, with at most one digit after the point' };

/**
 * Creates a product, or changes or deletes the version that was opened. If someone else has changed it meanwhile, the form shows the
 * differences and asks again.
 */
export function ProductForm({ id, product, currency, categories, onClose }: ProductFormProps) {
  const [draft, setDraft] = useState(
    () => queries.getQueryData<Draft>(['draft', id]) ?? (product ? draftOf(product) : empty),
  );
  const first = useRef<HTMLInputElement>(null);
  const { version } = draft;
  const path = { id };
  const called = product?.name ?? 'new product';

  useLayoutEffect(() => first.current?.focus(), []);

  function keep(change: Partial<Draft>) {
    const next = { ...draft, ...change };
    queries.setQueryData(['draft', id], next);
    setDraft(next);
  }
  function close(done?: string) {
    queries.removeQueries({ queryKey: ['draft', id] });
    onClose(done);
  }

  const change = useMutation({
    async mutationFn(verb: 'save' | 'delete') {
      try {
        if (version === undefined) await call('post', '/api/products', { body: fieldsOf(draft) });
        else if (verb === 'save')
          await call('put', '/api/products/{id}', { path, body: { ...fieldsOf(draft), version } });
        else await call('delete', '/api/products/{id}', { path, query: { version } });
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 409 || version === undefined) throw error;
        const now = await call('get', '/api/products/{id}', { path });
        // Refused for another reason, such as a sku that another product has.
        if (now.version === version) throw error;
        keep({ version: now.version });
        throw new Error(
          `Someone else has changed it. It is now ${differences(now, draft)}. Do it again to replace that with what is in the form.`,
        );
      }
    },
    onSettled: () => renew('products', 'catalogue'),
    onSuccess: (_, verb) => close(verb === 'save' ? `${draft.name} was saved.` : `${called} was deleted.`),
  });

  function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    change.mutate('save');
  }

  const field = (name: 'name' | 'price' | 'unit' | 'category' | 'tax' | 'sku', label: string, max?: number) => ({
    name,
    'aria-label': `${label} of ${called}`,
    autoComplete: 'off',
    value: draft[name],
    ...limited(max, (value) => keep({ [name]: value })),
  });

  return (
    <section class="card" aria-label={version === undefined ? 'New product' : `Change ${called}`}>
      <h2>
        {version === undefined ? (
          'New product'
        ) : (
          <>
            Change <bdi>{called}</bdi>
          </>
        )}
      </h2>
      <form class="product" onSubmit={submit}>
        <label>
          Name
          <input ref={first} required dir="auto" {...field('name', 'Name', 200)} />
        </label>
        <label>
          Price in {currency}
          <input required {...amountPattern} {...field('price', 'Price')} />
        </label>
        <label>
          Unit
          <input required dir="auto" {...field('unit', 'Unit', 32)} />
        </label>
        <label>
          Category
          <input list="categories" dir="auto" {...field('category', 'Category', 100)} />
        </label>
        <label>
          SKU
          <input dir="auto" {...field('sku', 'SKU', 64)} />
        </label>
        <datalist id="categories">
          {categories.map((category) => (
            <option key={category} value={category} dir="auto" />
          ))}
        </datalist>
        <label>
          Tax in %
          <input inputMode="decimal" placeholder="The store’s" {...tax} {...field('tax', 'Tax')} />
        </label>
        <label>
          Description
          <textarea
            name="description"
            dir="auto"
            aria-label={`Description of ${called}`}
            value={draft.description}
            {...limited(5_000, (description) => keep({ description }))}
          />
        </label>
        <Pictures images={draft.images} onChange={(images) => keep({ images })} />
        <div class="actions">
          <button type="submit" disabled={change.isPending} aria-label={`Save ${called}`}>
            {change.isPending ? 'Saving…' : 'Save'}
          </button>
          <button type="button" class="quiet" onClick={() => close()}>
            Cancel
          </button>
        </div>
      </form>
      {version !== undefined && (
        <div class="apart">
          <Grave
            aria-label={`Delete ${called}`}
            question={
              <>
                Delete <bdi>{called}</bdi>?
              </>
            }
            verb="Delete"
            disabled={change.isPending}
            onYes={() => change.mutateAsync('delete')}
          >
            <p>It can no longer be ordered. Existing orders continue. This cannot be undone.</p>
          </Grave>
        </div>
      )}
      <Outcome of={change} />
    </section>
  );
}

/** Reports each letter, and marks text as invalid that is too long for a service. */
function limited(max: number | undefined, onType: (value: string) => void) {
  const limit = max === undefined ? undefined : atMost(max);
  return {
    onInput(event: Parameters<ReturnType<typeof atMost>['onInput']>[0]) {
      limit?.onInput(event);
      onType(event.currentTarget.value);
    },
  };
}
