import { ageOf } from '../parts.js';
import { html } from '../vendor/preact.js';

/** The letters, each to be chosen. */
export function Letters({ letters, chosen, onChoose }) {
  if (letters.length === 0) return html`<p class="verdict good" role="status">There is no dead letter here.</p>`;
  const ids = letters.map(({ id }) => id);
  const areAllChosen = ids.every((id) => chosen.has(id));
  return html`<section class="card" aria-label="Dead letters">
    <label class="choose">
      <input type="checkbox" checked=${areAllChosen} onChange=${({ target }) => onChoose(ids, target.checked)} />
      Select all ${letters.length} shown
    </label>
    <ul class="letters">
      ${letters.map((letter) => html`<${Letter} key=${letter.id} letter=${letter} isChosen=${chosen.has(letter.id)} onChoose=${onChoose} />`)}
    </ul>
  </section>`;
}

function Letter({ letter, isChosen, onChoose }) {
  const { id, group, kind, orderId, attempts, error, time, origin, eventId, value } = letter;
  return html`<li aria-label=${`Dead letter ${id}`}>
    <label class="choose">
      <input type="checkbox" aria-label=${`Select ${id}`} checked=${isChosen} onChange=${({ target }) => onChoose([id], target.checked)} />
      <strong>${kind ?? 'no kind'}</strong> <span class="group">${group}</span>
      <span class="age">${time === null ? 'of unknown age' : `${ageOf(time)} old`}, ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}</span>
    </label>
    <pre class="error">${error}</pre>
    <p>Order ${isId(orderId) ? html`<a href=${`#/orders/${orderId}`}><code>${orderId}</code></a>` : html`<code>${orderId ?? 'unknown'}</code>`}</p>
    <details>
      <summary>Payload</summary>
      <pre>${pretty(value)}</pre>
      <p class="note">Letter <code>${id}</code>, event <code>${eventId ?? 'without id'}</code>, read at <code>${origin}</code></p>
    </details>
  </li>`;
}

const isId = (text) => /^[0-9a-f-]{36}$/i.test(text ?? '');

function pretty(value) {
  try {
    return JSON.stringify(JSON.parse(value), undefined, 2);
  } catch {
    return value ?? '(no value)';
  }
}
