import { keepPreviousData, useMutation, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { type AnswerTo, call } from '../api/call.ts';
import { renew } from '../api/queries.ts';
import { atMost } from '../parts/form.tsx';
import { Paging } from '../parts/paging.tsx';
import { Answer, money, OrderLink, Outcome, Time } from '../parts/parts.tsx';
import { Grave } from '../parts/question.tsx';
import { Table } from '../parts/table.tsx';

type Step = AnswerTo<'showOpenSteps'>['steps'][number];

/** What an operator may have found at the provider. */
const outcomes: Record<Step['kind'], Record<string, string>> = {
  charge: { paid: 'The customer has paid', failed: 'Nothing was taken' },
  refund: { refunded: 'The customer has the money', failed: 'Nothing was returned' },
};

/** Charges and refunds of which it has not been known for a day what became of them (contract 4.17). */
export function OpenSteps() {
  const [after, setAfter] = useState<string>();
  const page = useQuery({
    queryKey: ['open-steps', after],
    queryFn: () => call('get', '/api/payment-steps', { query: { after } }),
    placeholderData: keepPreviousData,
  });
  const settle = useMutation({
    mutationFn: ({ id, outcome, evidence = '' }: Record<string, string> & { id: string }) =>
      call('post', '/api/payment-steps/{id}/settlement', {
        path: { id },
        body: { outcome: outcome as 'paid' | 'failed' | 'refunded', evidence },
      }),
    onSettled: () => renew('open-steps', 'books'),
  });
  return (
    <section class="card" aria-label="Open payments">
      <h2>Open payments</h2>
      <Answer of={page}>
        {({ steps, next }) => (
          <>
            <Table
              rows={steps}
              keyOf={({ id }) => id}
              empty={<p role="status">The outcome of every payment is known.</p>}
              columns={{
                Order: ({ orderId }) => <OrderLink id={orderId} />,
                What: ({ kind }) => kind,
                Amount: ({ amount }) => money(amount),
                'Id at the provider': ({ intentId }) => (intentId === null ? 'not known' : <code>{intentId}</code>),
                Attempts: ({ attempts }) => attempts,
                'Open since': ({ openSince }) => <Time at={openSince} />,
                Settle: (step) => <Settle step={step} isBusy={settle.isPending} onYes={settle.mutateAsync} />,
              }}
            />
            <Paging
              first={after === undefined ? undefined : () => setAfter(undefined)}
              next={next === null ? undefined : () => setAfter(next)}
            />
          </>
        )}
      </Answer>
      <Outcome of={settle} done="It is settled." />
    </section>
  );
}

interface SettleProps {
  step: Step;
  isBusy: boolean;
  onYes: (found: Record<string, string> & { id: string }) => Promise<unknown>;
}

function Settle({ step: { id, kind, orderId, amount }, isBusy, onYes }: SettleProps) {
  const evidence = `evidence-${id}`;
  return (
    <Grave
      label="Settle"
      aria-label={`Settle the ${kind} of order ${orderId}`}
      question={`What became of this ${kind} of ${money(amount)}?`}
      verb="Settle it"
      isQuiet
      disabled={isBusy}
      onYes={(texts) => onYes({ ...texts, id })}
    >
      <p>Look it up at the provider first. The order goes on as if the provider had said so. This cannot be undone.</p>
      {Object.entries(outcomes[kind]).map(([outcome, text]) => (
        <label key={outcome}>
          <input type="radio" name="outcome" value={outcome} required /> {text}
        </label>
      ))}
      <label for={evidence}>Evidence</label>
      <textarea id={evidence} name="evidence" rows={2} required dir="auto" {...atMost(1_000)} />
      <p class="note">For the audit trail: where you looked, and what it said.</p>
    </Grave>
  );
}
