import { useRef, useState } from 'preact/hooks';
import { call, sentenceOf } from '../api/call.ts';
import { useLive } from '../api/live.ts';
import type { operations } from '../api/schema.ts';
import { Problem } from '../parts/parts.tsx';
import { type Product, ProductForm } from './product-form.tsx';

type Listed = operations['showProducts']['responses'][200]['content']['application/json'][number];

export function Stock() {
  const [sought, setSought] = useState('');
  const [version, setVersion] = useState(0);
  const search = sought.trim() || undefined;
  const ask = () => call('get', '/api/products', { query: { search } });
  const { data, problem } = useLive(`products ${search}`, ask, { version });
  return (
    <>
      <h1>Stock and products</h1>
      <search>
        <form class="search" onSubmit={(event) => event.preventDefault()}>
          <label for="product">Name of a product</label>
          <input
            id="product"
            value={sought}
            onInput={({ currentTarget }) => setSought(currentTarget.value)}
            autoComplete="off"
          />
        </form>
      </search>
      <Problem text={problem} />
      {data?.length === 0 && <p role="status">No product was found.</p>}
      {data !== undefined && data.length > 0 && (
        <section class="card" aria-label="Products">
          <table>
            <thead>
              <tr>
                <th>Product</th>
                <th>Price</th>
                <th>Available</th>
                <th>Set to</th>
              </tr>
            </thead>
            <tbody>
              {data.map((product) => (
                <Row key={product.id} product={product} onChange={() => setVersion(version + 1)} />
              ))}
            </tbody>
          </table>
          <p class="note">
            At most 20 products are shown. A new price is that of orders which are placed from then on.
          </p>
        </section>
      )}
    </>
  );
}

interface Said {
  text: string;
  isProblem?: boolean;
}

function Row({ product: { id, name, price, unit, available }, onChange }: { product: Listed; onChange: () => void }) {
  const [value, setValue] = useState('');
  const [said, setSaid] = useState<Said>();
  const [changed, setChanged] = useState<Said>();
  const [opened, setOpened] = useState<Product>();
  const opener = useRef<HTMLButtonElement>(null);

  async function save(event: Event) {
    event.preventDefault();
    try {
      await call('put', '/api/stock/{productId}', { path: { productId: id }, body: { available: Number(value) } });
      setSaid({ text: `Set to ${value}.` });
      setValue('');
      onChange();
    } catch (error) {
      setSaid({ text: sentenceOf(error), isProblem: true });
    }
  }

  async function open() {
    try {
      setOpened(await call('get', '/api/products/{id}', { path: { id } }));
      setChanged(undefined);
    } catch (error) {
      setChanged({ text: sentenceOf(error), isProblem: true });
    }
  }
  function close() {
    setOpened(undefined);
    opener.current?.focus();
  }
  function saved() {
    close();
    setChanged({ text: 'Saved.' });
    onChange();
  }

  return (
    <tr>
      <th scope="row">
        {name}
        <br />
        <code>{id}</code>
      </th>
      <td data-label="Price">
        {price} per {unit}
        <br />
        <button
          ref={opener}
          type="button"
          class="quiet"
          aria-label={`Change ${name}`}
          aria-expanded={opened !== undefined}
          onClick={() => (opened === undefined ? open() : close())}
        >
          Change
        </button>
        {opened && <ProductForm name={name} product={opened} onSave={saved} onCancel={close} />}
        <Outcome said={changed} />
      </td>
      <td data-label="Available">{available ?? 'not known'}</td>
      <td data-label="Set to">
        <form class="inline" onSubmit={save}>
          <input
            type="number"
            min="0"
            max="1000000000"
            step="1"
            required
            aria-label={`Stock of ${name}`}
            value={value}
            onInput={({ currentTarget }) => setValue(currentTarget.value)}
          />
          <button type="submit" aria-label={`Set stock of ${name}`}>
            Set
          </button>
        </form>
        <Outcome said={said} />
      </td>
    </tr>
  );
}

const Outcome = ({ said }: { said: Said | undefined }) =>
  said ? (
    <p class={said.isProblem ? 'problem' : 'note'} role="status">
      {said.text}
    </p>
  ) : null;
