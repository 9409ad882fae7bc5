import { keepPreviousData, useMutation, useQuery } from '@tanstack/preact-query';
import { useRef, useState } from 'preact/hooks';
import { type AnswerTo, call } from '../api/call.ts';
import { renew } from '../api/queries.ts';
import { Field } from '../parts/form.tsx';
import { Answer, Outcome } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import { useTyping } from '../parts/typing.ts';
import { type Product, ProductForm } from './product-form.tsx';

type Listed = AnswerTo<'showProducts'>[number];

export function Stock() {
  const [search, setSearch] = useState<string>();
  const typing = useTyping((typed) => setSearch(typed || undefined));
  const products = useQuery({
    queryKey: ['products', search],
    queryFn: () => call('get', '/api/products', { query: { search } }),
    placeholderData: keepPreviousData,
    refetchInterval: 2_000,
  });
  return (
    <>
      <h1>Stock and products</h1>
      <search class="search">
        <Field name="product" label="Name of a product" {...typing} />
      </search>
      <NewProduct />
      <Answer of={products}>
        {(data) =>
          data.length === 0 ? (
            <p role="status">No product was found.</p>
          ) : (
            <section class="card" aria-label="Products">
              <Table
                rows={data}
                keyOf={({ id }) => id}
                columns={{
                  Product: ({ name, id }) => (
                    <>
                      {name}
                      <br />
                      <code>{id}</code>
                    </>
                  ),
                  Price: (product) => <Price product={product} />,
                  Available: (product) => <Amount product={product} />,
                }}
              />
              <p class="note">
                At most 20 products are shown. A stock is set as soon as you stop typing. A new price is that of orders
                which are placed from then on.
              </p>
            </section>
          )
        }
      </Answer>
    </>
  );
}

function NewProduct() {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <ProductForm name="new product" onSave={renewProducts} onClose={() => setOpen(false)} />;
  return (
    <button type="button" class="quiet" onClick={() => setOpen(true)}>
      New product
    </button>
  );
}

const renewProducts = () => renew('products');

interface CellProps {
  product: Listed;
}

/** Price and unit, to be changed in a form that has the name, too. */
function Price({ product }: CellProps) {
  const { id, name, price, unit } = product;
  const [opened, setOpened] = useState<Product>();
  const opening = useMutation({
    mutationFn: () => call('get', '/api/products/{id}', { path: { id } }),
    onSuccess: setOpened,
  });
  const saved = useMutation({ mutationFn: renewProducts });
  const opener = useRef<HTMLButtonElement>(null);

  function close() {
    setOpened(undefined);
    opener.current?.focus();
  }

  return (
    <>
      {price} per {unit}
      <br />
      <button
        ref={opener}
        type="button"
        class="quiet"
        aria-label={`Change ${name}`}
        aria-expanded={opened !== undefined}
        onClick={() => (opened === undefined ? opening.mutate() : close())}
      >
        Change
      </button>
      {opened && <ProductForm name={name} product={opened} onSave={saved.mutate} onClose={close} />}
      <Outcome of={opening} />
      <Outcome of={saved} done="Saved." />
    </>
  );
}

/** Shows what is available, to be typed over. */
function Amount({ product }: CellProps) {
  const { id, name, available } = product;
  const [draft, setDraft] = useState<string>();
  const save = useMutation({
    scope: { id },
    async mutationFn(typed: string) {
      if (!/^\d{1,10}$/.test(typed)) throw new Error('Type a whole number from 0 to 1000000000.');
      await call('put', '/api/stock/{productId}', { path: { productId: id }, body: { available: Number(typed) } });
    },
    async onSuccess(_, typed) {
      await renewProducts();
      // What has been typed since stays.
      setDraft((now) => (now?.trim() === typed ? undefined : now));
    },
  });
  const typing = useTyping(save.mutate, setDraft);

  return (
    <>
      <input
        class="amount"
        inputMode="numeric"
        autoComplete="off"
        aria-label={`Stock of ${name}`}
        placeholder="not known"
        value={draft ?? available?.toString() ?? ''}
        {...typing}
      />
      <Outcome of={save} done={`Set to ${save.variables}.`} />
    </>
  );
}
