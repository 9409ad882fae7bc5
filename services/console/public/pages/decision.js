import { html, useRef, useState } from '../vendor/preact.js';

/** What is to become of the selected letters. Both ask once more, and say of how many. */
export function Decision({ selected, busy, onDecide }) {
  const [dryRun, setDryRun] = useState(false);
  const [asked, setAsked] = useState(undefined);
  const [reason, setReason] = useState('');
  const dialog = useRef(null);
  const none = selected.length === 0;
  const count = selected.length === 1 ? '1 letter' : `${selected.length} letters`;

  function ask(decision) {
    // What was seen when the button was pressed: a letter that comes meanwhile is not decided.
    setAsked({ decision, letters: selected });
    dialog.current.showModal();
  }
  function decide(event) {
    event.preventDefault();
    dialog.current.close();
    onDecide({ ...asked, dryRun, reason: asked.decision === 'discard' ? reason.trim() : undefined });
    setReason('');
  }

  return html`<div class="actions" role="group" aria-label="Decide">
      <button type="button" disabled=${none || busy} onClick=${() => ask('redrive')}>Redrive ${count}</button>
      <button type="button" class="grave" disabled=${none || busy} onClick=${() => ask('discard')}>Discard ${count}</button>
      <label class="choose">
        <input type="checkbox" checked=${dryRun} onChange=${({ target }) => setDryRun(target.checked)} /> Dry run
      </label>
      ${busy && html`<span role="status">Working…</span>`}
    </div>
    <dialog ref=${dialog} aria-labelledby="asked">
      <form onSubmit=${decide}>
        <h2 id="asked">${asked?.decision === 'discard' ? 'Discard' : 'Redrive'} ${asked?.letters.length === 1 ? '1 letter' : `${asked?.letters.length} letters`}?</h2>
        ${
          asked?.decision === 'discard'
            ? html`<p>They are never handled. This stands: a letter that was discarded cannot be redriven.</p>
              <label for="reason">Reason</label>
              <textarea id="reason" required maxlength="1000" value=${reason} onInput=${({ target }) => setReason(target.value)}></textarea>`
            : html`<p>Their group handles them again, each once. One that fails again stays here.</p>`
        }
        ${dryRun && html`<p class="note">Nothing is changed: this only says what would be done.</p>`}
        <div class="actions">
          <button type="submit" class=${asked?.decision === 'discard' ? 'grave' : ''}>${asked?.decision === 'discard' ? 'Discard' : 'Redrive'}</button>
          <button type="button" class="quiet" onClick=${() => dialog.current.close()}>Cancel</button>
        </div>
      </form>
    </dialog>`;
}
