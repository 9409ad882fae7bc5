import { useMutation, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { renew } from '../api/queries.ts';
import { Field } from '../parts/form.tsx';
import { Loading, Problem, Problems } from '../parts/parts.tsx';
import { Audit } from './audit.tsx';
import { type Decided, Decision } from './dead-letters/decision.tsx';
import type { Letter, Outcomes } from './dead-letters/letter.ts';
import { Letters } from './dead-letters/letters.tsx';
import { Results } from './dead-letters/results.tsx';

/** The most ids that services accept in a request. */
const batchSize = 100;

/** @param filter initial text of the filter, such as an order's id */
export function DeadLetters({ filter = '' }: { filter: string | undefined }) {
  const [group, setGroup] = useState('');
  const [text, setText] = useState(filter);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [outcomes, setOutcomes] = useState<Outcomes>();
  const { data, error, isPending } = useQuery({
    queryKey: ['dead letters'],
    queryFn: () => call('get', '/api/dead-letters', {}),
    refetchInterval: 3_000,
  });
  const deciding = useMutation({ mutationFn: decide, onSettled: () => renew('dead letters', 'decisions') });

  const groups = data ?? [];
  const all = groups
    .flatMap(({ service, group, letters }) => letters.map((letter): Letter => ({ ...letter, service, group })))
    .sort(newestFirst);
  const shown = all.filter((letter) => (group === '' || letter.group === group) && matches(letter, text));
  const selected = shown.filter(({ id }) => chosen.has(id));
  const hidden = groups.reduce((sum, { total, letters }) => sum + total - letters.length, 0);
  const isComplete = groups.every((one) => one.problem === undefined);

  async function decide({ decision, letters, reason, dryRun }: Decided) {
    const results: Outcomes['results'] = [];
    try {
      for (const [service, ids] of batchesOf(letters)) {
        const path = { service };
        const answer =
          decision === 'discard'
            ? await call('post', '/api/dead-letters/{service}/discard', { path, body: { ids, dryRun, reason } })
            : await call('post', '/api/dead-letters/{service}/redrive', { path, body: { ids, dryRun } });
        results.push(...answer.results);
      }
      if (!dryRun) setChosen(new Set());
    } finally {
      setOutcomes({ results, dryRun });
    }
  }

  function choose(ids: string[], isChosen: boolean) {
    const next = new Set(chosen);
    for (const id of ids) isChosen ? next.add(id) : next.delete(id);
    setChosen(next);
  }

  return (
    <>
      <h1>Dead letters</h1>
      <Problem text={error?.message} />
      <Problems texts={groups.flatMap(({ problem }) => problem ?? [])} />
      <search class="search">
        <label for="group">Group</label>
        <select id="group" value={group} onChange={({ currentTarget }) => setGroup(currentTarget.value)}>
          <option value="">All groups</option>
          {groups.map(({ service, group, total, problem }) => (
            <option key={service} value={group}>
              {group} ({problem === undefined ? total : 'not known'})
            </option>
          ))}
        </select>
        <Field
          name="filter"
          label="Filter"
          type="search"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          placeholder="order, kind, error, payload"
          dir="auto"
        />
      </search>
      <Decision selected={selected} busy={deciding.isPending} onDecide={deciding.mutateAsync} />
      <Results outcomes={outcomes} problem={deciding.error?.message} />
      {isPending && <Loading />}
      {data && (shown.length > 0 || isComplete) && <Letters letters={shown} chosen={chosen} onChoose={choose} />}
      {hidden > 0 && <p class="note">{hidden} more are not shown until some of these are decided.</p>}
      <Audit />
    </>
  );
}

const newestFirst = (a: Letter, b: Letter) => (b.time ?? '').localeCompare(a.time ?? '') || a.id.localeCompare(b.id);

function matches({ id, orderId, kind, error, value }: Letter, text: string): boolean {
  const sought = text.trim().toLowerCase();
  return [id, orderId, kind, error, value].some((field) => (field ?? '').toLowerCase().includes(sought));
}

/** Ids by service, at most 100 in a batch. */
function batchesOf(letters: Letter[]): [string, string[]][] {
  const batches: [string, string[]][] = [];
  for (const [service, own] of Map.groupBy(letters, ({ service }) => service)) {
    for (let from = 0; from < own.length; from += batchSize) {
      batches.push([service, own.slice(from, from + batchSize).map(({ id }) => id)]);
    }
  }
  return batches;
}
