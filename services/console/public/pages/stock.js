import { call, useLive } from '../api.js';
import { Problem } from '../parts.js';
import { html, useRef, useState } from '../vendor/preact.js';
import { ProductForm } from './product-form.js';

export function Stock() {
  const [sought, setSought] = useState('');
  const [version, setVersion] = useState(0);
  const text = sought.trim();
  const path = `/api/products${text === '' ? '' : `?search=${encodeURIComponent(text)}`}`;
  const { data, problem } = useLive(path, { version });
  return html`<h1>Stock and products</h1>
    <form class="search" role="search" onSubmit=${(event) => event.preventDefault()}>
      <label for="product">Name of a product</label>
      <input id="product" value=${sought} onInput=${({ target }) => setSought(target.value)} autocomplete="off" />
    </form>
    <${Problem} text=${problem} />
    ${data?.length === 0 && html`<p role="status">No product was found.</p>`}
    ${
      data?.length > 0 &&
      html`<section class="card" aria-label="Products">
      <table>
        <thead><tr><th>Product</th><th>Price</th><th>Available</th><th>Set to</th></tr></thead>
        <tbody>
          ${data.map((product) => html`<${Product} key=${product.id} product=${product} onChange=${() => setVersion(version + 1)} />`)}
        </tbody>
      </table>
      <p class="note">At most 20 products are shown. A new price is that of orders which are placed from then on.</p>
    </section>`
    }`;
}

function Product({ product: { id, name, price, unit, available }, onChange }) {
  const [value, setValue] = useState('');
  const [said, setSaid] = useState(undefined);
  const [changed, setChanged] = useState(undefined);
  const [opened, setOpened] = useState(undefined);
  const opener = useRef(null);

  async function save(event) {
    event.preventDefault();
    try {
      await call('PUT', `/api/stock/${id}`, { available: Number(value) });
      setSaid({ text: `Set to ${value}.` });
      setValue('');
      onChange();
    } catch (error) {
      setSaid({ text: error.message, isProblem: true });
    }
  }

  async function open() {
    try {
      setOpened(await call('GET', `/api/products/${id}`));
      setChanged(undefined);
    } catch (error) {
      setChanged({ text: error.message, isProblem: true });
    }
  }
  function close() {
    setOpened(undefined);
    opener.current.focus();
  }
  function saved() {
    close();
    setChanged({ text: 'Saved.' });
    onChange();
  }

  return html`<tr>
    <th scope="row">${name}<br /><code>${id}</code></th>
    <td data-label="Price">${price} per ${unit}<br />
      <button ref=${opener} type="button" class="quiet" aria-label=${`Change ${name}`} aria-expanded=${opened !== undefined}
        onClick=${() => (opened === undefined ? open() : close())}>Change</button>
      ${opened && html`<${ProductForm} name=${name} product=${opened} onSave=${saved} onCancel=${close} />`}
      <${Said} said=${changed} />
    </td>
    <td data-label="Available">${available ?? 'not known'}</td>
    <td data-label="Set to">
      <form class="inline" onSubmit=${save}>
        <input type="number" min="0" max="1000000000" step="1" required aria-label=${`Stock of ${name}`}
          value=${value} onInput=${({ target }) => setValue(target.value)} />
        <button type="submit" aria-label=${`Set stock of ${name}`}>Set</button>
      </form>
      <${Said} said=${said} />
    </td>
  </tr>`;
}

const Said = ({ said }) =>
  said ? html`<p class=${said.isProblem ? 'problem' : 'note'} role="status">${said.text}</p>` : null;
