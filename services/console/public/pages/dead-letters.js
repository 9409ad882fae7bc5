import { call, useLive } from '../api.js';
import { Problem } from '../parts.js';
import { html, useState } from '../vendor/preact.js';
import { Audit } from './audit.js';
import { Decision } from './decision.js';
import { Letters } from './letters.js';

/** As many as the services take in a request. */
const batchSize = 100;

/** @param filter text to begin with, such as an order's id */
export function DeadLetters({ filter = '' }) {
  const [group, setGroup] = useState('');
  const [text, setText] = useState(filter);
  const [chosen, setChosen] = useState(new Set());
  const [version, setVersion] = useState(0);
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState(undefined);
  const { data, problem } = useLive('/api/dead-letters', { everyMs: 3_000, version });

  const groups = data ?? [];
  const all = groups
    .flatMap(({ service, group: name = service, letters }) =>
      letters.map((letter) => ({ ...letter, service, group: name })),
    )
    .sort(newestFirst);
  const shown = all.filter((letter) => (group === '' || letter.group === group) && matches(letter, text));
  const selected = shown.filter(({ id }) => chosen.has(id));
  const hidden = groups.reduce((sum, { total = 0, letters }) => sum + total - letters.length, 0);

  async function decide({ decision, letters, reason, dryRun }) {
    setBusy(true);
    const results = [];
    try {
      for (const [service, ids] of batchesOf(letters)) {
        const body = { ids, dryRun, ...(reason !== undefined && { reason }) };
        results.push(...(await call('POST', `/api/dead-letters/${service}/${decision}`, body)).results);
      }
      setSaid({ results, dryRun });
      if (!dryRun) setChosen(new Set());
    } catch (error) {
      setSaid({ results, dryRun, problem: error.message });
    } finally {
      setBusy(false);
      setVersion((before) => before + 1);
    }
  }

  function choose(ids, isChosen) {
    const next = new Set(chosen);
    for (const id of ids) isChosen ? next.add(id) : next.delete(id);
    setChosen(next);
  }

  return html`<h1>Dead letters</h1>
    <${Problem} text=${problem} />
    ${groups.map(({ problem: why }) => html`<${Problem} text=${why} />`)}
    <form class="search" role="search" onSubmit=${(event) => event.preventDefault()}>
      <label for="group">Group</label>
      <select id="group" value=${group} onChange=${({ target }) => setGroup(target.value)}>
        <option value="">All groups</option>
        ${groups.map(({ service, group: name = service, total = 0 }) => html`<option value=${name}>${name} (${total})</option>`)}
      </select>
      <label for="filter">Filter</label>
      <input id="filter" type="search" value=${text} onInput=${({ target }) => setText(target.value)}
        placeholder="order, kind, error, payload" autocomplete="off" />
    </form>
    <${Decision} selected=${selected} busy=${busy} onDecide=${decide} />
    <${Said} said=${said} />
    ${data && (shown.length > 0 || groups.every(({ problem: why }) => why === undefined)) && html`<${Letters} letters=${shown} chosen=${chosen} onChoose=${choose} />`}
    ${hidden > 0 && html`<p class="note">${hidden} more are not shown until some of these are decided.</p>`}
    <${Audit} version=${version} />`;
}

const newestFirst = (a, b) => (b.time ?? '').localeCompare(a.time ?? '') || a.id.localeCompare(b.id);

function matches(letter, text) {
  const sought = text.trim().toLowerCase();
  const { id, orderId, kind, error, value } = letter;
  return [id, orderId, kind, error, value].some((field) => (field ?? '').toLowerCase().includes(sought));
}

/** Ids by service, at most 100 in a batch. */
function batchesOf(letters) {
  const batches = [];
  for (const [service, own] of Map.groupBy(letters, ({ service }) => service)) {
    for (let from = 0; from < own.length; from += batchSize) {
      batches.push([service, own.slice(from, from + batchSize).map(({ id }) => id)]);
    }
  }
  return batches;
}

function Said({ said }) {
  if (said === undefined) return html`<div role="status"></div>`;
  const { results, dryRun, problem } = said;
  const verb = dryRun ? 'would be ' : '';
  return html`<div class="said" role="status">
    ${problem && html`<p class="problem">${problem} What is not listed as done stays open.</p>`}
    <ul>
      ${results.map(
        ({ id, outcome, error, decision }) => html`<li key=${id}>
          <code>${id}</code>${' '}
          ${outcome === 'FAILED' && `${dryRun ? 'would fail' : 'failed'} again: ${error}`}
          ${
            outcome === 'DECIDED' &&
            `had been ${decision?.outcome.toLowerCase() ?? 'decided'} by ${decision?.requestedBy ?? 'somebody'}: nothing was done`
          }
          ${(outcome === 'REDRIVEN' || outcome === 'DISCARDED') && `${verb}${outcome.toLowerCase()}`}
        </li>`,
      )}
    </ul>
    ${dryRun && html`<p>Dry run: nothing was changed.</p>`}
  </div>`;
}
