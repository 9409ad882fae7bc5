import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { type AnswerTo, call } from '../api/call.ts';
import { Paging } from '../parts/paging.tsx';
import { Answer, Badge, money, OrderLink, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';

type State = AnswerTo<'showReturned'>['returned'][number]['state'];

const states: Record<State, string> = {
  PENDING: 'Refunds that are pending',
  SUCCEEDED: 'Refunds that have succeeded',
  FAILED: 'Refunds that have failed',
  OPEN: 'Disputes that are open',
  WON: 'Disputes that are won',
  LOST: 'Disputes that are lost',
};

/** Refunds and disputes of all customers, the newest first. */
export function Returned() {
  const [asked, setAsked] = useState<{ state?: State | undefined; after?: string | undefined }>({});
  const page = useQuery({
    queryKey: ['returned', asked],
    queryFn: () => call('get', '/api/returned-money', { query: asked }),
    placeholderData: keepPreviousData,
  });
  return (
    <section class="card" aria-label="Refunds and disputes">
      <h2>Refunds and disputes</h2>
      <search class="search">
        <label for="returned-state">Show</label>
        <select
          id="returned-state"
          value={asked.state ?? ''}
          onChange={({ currentTarget: { value } }) => setAsked({ state: (value || undefined) as State | undefined })}
        >
          <option value="">All</option>
          {Object.entries(states).map(([state, text]) => (
            <option key={state} value={state}>
              {text}
            </option>
          ))}
        </select>
      </search>
      <Answer of={page}>
        {({ returned, next }) => (
          <>
            <Table
              rows={returned}
              keyOf={({ id }) => id}
              empty={<p role="status">There are none.</p>}
              columns={{
                Order: ({ orderId }) => <OrderLink id={orderId} />,
                What: ({ kind }) => kind,
                Amount: ({ amount }) => money(amount),
                State: (one) => (
                  <>
                    <Badge text={one.state} /> {one.kind === 'refund' && one.failure}
                  </>
                ),
                'Made by': (one) => (one.kind === 'refund' ? one.source : ''),
                When: ({ createdAt }) => <Time at={createdAt} />,
              }}
            />
            <Paging
              first={asked.after === undefined ? undefined : () => setAsked({ state: asked.state })}
              next={next === null ? undefined : () => setAsked({ state: asked.state, after: next })}
            />
          </>
        )}
      </Answer>
    </section>
  );
}
