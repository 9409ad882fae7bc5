import { useEffect, useRef, useState } from 'preact/hooks';
import { useActs } from '../api/acts.ts';
import { type AnswerTo, call } from '../api/call.ts';
import { useLive } from '../api/live.ts';
import { Field } from '../parts/form.tsx';
import { Outcome, Problem } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import { useTyping } from '../parts/typing.ts';
import { type Product, ProductForm } from './product-form.tsx';

type Listed = AnswerTo<'showProducts'>[number];

export function Stock() {
  const [search, setSearch] = useState<string>();
  const typing = useTyping((typed) => setSearch(typed || undefined));
  const ask = () => call('get', '/api/products', { query: { search } });
  const { data, problem, again } = useLive(`products ${search}`, ask);
  return (
    <>
      <h1>Stock and products</h1>
      <search class="search">
        <Field name="product" label="Name of a product" {...typing} />
      </search>
      <NewProduct onSave={again} />
      <Problem text={problem} />
      {data?.length === 0 && <p role="status">No product was found.</p>}
      {data !== undefined && data.length > 0 && (
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
              Price: (product) => <Price product={product} onChange={again} />,
              Available: (product) => <Amount product={product} onChange={again} />,
            }}
          />
          <p class="note">
            At most 20 products are shown. A stock is set as soon as you stop typing. A new price is that of orders
            which are placed from then on.
          </p>
        </section>
      )}
    </>
  );
}

function NewProduct({ onSave }: { onSave: () => void }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <ProductForm name="new product" onSave={onSave} onClose={() => setOpen(false)} />;
  return (
    <button type="button" class="quiet" onClick={() => setOpen(true)}>
      New product
    </button>
  );
}

interface CellProps {
  product: Listed;
  onChange: () => void;
}

/** Price and unit, to be changed in a form that has the name, too. */
function Price({ product, onChange }: CellProps) {
  const { id, name, price, unit } = product;
  const { act, said } = useActs();
  const [opened, setOpened] = useState<Product>();
  const opener = useRef<HTMLButtonElement>(null);

  const open = async () => setOpened(await call('get', '/api/products/{id}', { path: { id } }));
  function close() {
    setOpened(undefined);
    opener.current?.focus();
  }
  const saved = () => act(async () => onChange(), 'Saved.');

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
        onClick={() => (opened === undefined ? act(open) : close())}
      >
        Change
      </button>
      {opened && <ProductForm name={name} product={opened} onSave={saved} onClose={close} />}
      <Outcome said={said} />
    </>
  );
}

/** Shows what is available, to be typed over. */
function Amount({ product, onChange }: CellProps) {
  const { id, name, available } = product;
  const [draft, setDraft] = useState<string>();
  const [set, setSet] = useState<string>();
  const { act, said } = useActs();
  const typing = useTyping((typed) => act(() => save(typed), `Set to ${typed}.`), setDraft);
  // The list knows what was set; what has been typed since stays.
  useEffect(() => {
    if (set !== undefined && set === draft?.trim()) setDraft(undefined);
    setSet(undefined);
  }, [product]);

  async function save(typed: string) {
    if (!/^\d{1,10}$/.test(typed)) throw new Error('Type a whole number from 0 to 1000000000.');
    await call('put', '/api/stock/{productId}', { path: { productId: id }, body: { available: Number(typed) } });
    setSet(typed);
    onChange();
  }

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
      <Outcome said={said} />
    </>
  );
}
