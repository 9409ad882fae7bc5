import { call } from '../api.js';
import { html, useEffect, useRef, useState } from '../vendor/preact.js';

/**
 * Changes a product in the state in which it was opened. If somebody else has changed it meanwhile, it says how it is now and asks
 * again.
 * @param name by which the page knows it
 * @param product as /api/products/{id} answers
 */
export function ProductForm({ name, product, onSave, onCancel }) {
  const [draft, setDraft] = useState(product);
  const [problem, setProblem] = useState(undefined);
  const [busy, setBusy] = useState(false);
  const first = useRef(null);
  const path = `/api/products/${product.id}`;
  const set = (field) => ({
    value: draft[field],
    onInput: ({ target }) => setDraft({ ...draft, [field]: target.value }),
  });

  useEffect(() => first.current.focus(), []);

  async function newVersion() {
    const now = await call('GET', path);
    setDraft({ ...draft, version: now.version });
    return `Somebody else was faster. It is now ${now.name}, ${now.price} per ${now.unit}. Save again to replace that.`;
  }

  async function save(event) {
    event.preventDefault();
    setBusy(true);
    try {
      await call('PUT', path, draft);
      onSave();
    } catch (error) {
      setProblem(error.status === 409 ? await newVersion().catch(({ message }) => message) : error.message);
      setBusy(false);
    }
  }

  return html`<form class="product" aria-label=${`Change ${name}`} onSubmit=${save}>
    <label>Name <input ref=${first} aria-label=${`Name of ${name}`} required maxlength="200" autocomplete="off" ...${set('name')} /></label>
    <label>Price <input aria-label=${`Price of ${name}`} required inputmode="decimal" pattern="\\d{1,12}(\\.\\d{1,4})?"
      title="digits, with at most 4 after the point" autocomplete="off" ...${set('price')} /></label>
    <label>Unit <input aria-label=${`Unit of ${name}`} required maxlength="32" autocomplete="off" ...${set('unit')} /></label>
    <div class="actions">
      <button type="submit" disabled=${busy} aria-label=${`Save ${name}`}>Save</button>
      <button type="button" class="quiet" onClick=${onCancel}>Cancel</button>
    </div>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
  </form>`;
}
