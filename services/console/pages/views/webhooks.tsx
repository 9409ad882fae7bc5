import { keepPreviousData, useMutation, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { type AnswerTo, call } from '../api/call.ts';
import { renew } from '../api/queries.ts';
import { Field, textsOf } from '../parts/form.tsx';
import { Paging } from '../parts/paging.tsx';
import { Answer, Badge, OrderLink, Outcome, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';

type Webhook = AnswerTo<'showWebhooks'>['webhooks'][number];

const onSettled = () => renew('webhooks', 'deliveries');

/** Addresses to which events of orders are sent (contract 4.22). Systems make them by `POST /webhooks`, which shows their secret. */
export function Webhooks() {
  const webhooks = useQuery({ queryKey: ['webhooks'], queryFn: () => call('get', '/api/webhooks', {}) });
  return (
    <section class="card" aria-label="Webhooks">
      <h2>Webhooks</h2>
      <Answer of={webhooks}>
        {({ webhooks }) => (
          <>
            {webhooks.length === 0 && <p>There are none.</p>}
            {webhooks.map((one) => (
              <Shown key={one.id} webhook={one} />
            ))}
          </>
        )}
      </Answer>
    </section>
  );
}

function Shown({
  webhook: { id, url, kinds, state, failures, lastFailure, restingUntil, createdAt },
}: {
  webhook: Webhook;
}) {
  const [isOpen, setOpen] = useState(false);
  const pause = useMutation({
    mutationFn: (paused: boolean) => call('put', '/api/webhooks/{id}/pause', { path: { id }, body: { paused } }),
    onSettled,
  });
  const isActive = state === 'ACTIVE';
  return (
    <section aria-label={url}>
      <h3>
        <bdi>{url}</bdi> {!isActive && <Badge text={state} />}
      </h3>
      <dl class="facts">
        <dt>Events</dt>
        <dd>{kinds.join(', ')}</dd>
        {failures > 0 && (
          <>
            <dt>Failed attempts in a row</dt>
            <dd>
              {failures}
              {lastFailure !== null && (
                <>
                  : <bdi>{lastFailure}</bdi>
                </>
              )}
            </dd>
          </>
        )}
        {isActive && restingUntil !== null && (
          <>
            <dt>Rests until</dt>
            <dd>
              <Time at={restingUntil} />
            </dd>
          </>
        )}
        <dt>Since</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
      </dl>
      <div class="actions">
        <button type="button" class="quiet" disabled={pause.isPending} onClick={() => pause.mutate(isActive)}>
          {isActive ? 'Pause' : 'Resume'}
        </button>
        <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Deliveries
        </button>
      </div>
      <Outcome of={pause} done={pause.variables ? 'Deliveries wait.' : 'Deliveries are sent again.'} />
      {isOpen && <Deliveries id={id} url={url} />}
    </section>
  );
}

function Deliveries({ id, url }: { id: string; url: string }) {
  const [isFiltered, setFiltered] = useState(false);
  const [after, setAfter] = useState<string>();
  const state = isFiltered ? 'GIVEN_UP' : undefined;
  const page = useQuery({
    queryKey: ['deliveries', id, state, after],
    queryFn: () => call('get', '/api/webhooks/{id}/deliveries', { path: { id }, query: { state, after } }),
    placeholderData: keepPreviousData,
  });
  const repeat = useMutation({
    mutationFn: (deliveryId: string) =>
      call('post', '/api/webhooks/{id}/deliveries/{deliveryId}/attempts', { path: { id, deliveryId } }),
    onSettled,
  });
  return (
    <>
      <label>
        <input
          type="checkbox"
          checked={isFiltered}
          onChange={({ currentTarget: { checked } }) => {
            setFiltered(checked);
            setAfter(undefined);
          }}
        />{' '}
        Only those that were given up
      </label>
      <Answer of={page}>
        {({ deliveries, next }) => (
          <>
            <Table
              empty={<p role="status">There are none.</p>}
              rows={deliveries}
              keyOf={({ id }) => id}
              columns={{
                Event: ({ type, sequence }) => `${type} ${sequence}`,
                Order: ({ orderId }) => (orderId === null ? '' : <OrderLink id={orderId} />),
                State: ({ state }) => <Badge text={state} />,
                Attempts: ({ attempts }) => attempts,
                Failure: ({ failure }) => <bdi>{failure}</bdi>,
                When: ({ createdAt }) => <Time at={createdAt} />,
                Again: ({ id, type, sequence }) => (
                  <button
                    type="button"
                    class="quiet"
                    aria-label={`Send again: ${type} ${sequence} to ${url}`}
                    onClick={() => repeat.mutate(id)}
                  >
                    Send again
                  </button>
                ),
              }}
            />
            <Paging
              first={after === undefined ? undefined : () => setAfter(undefined)}
              next={next === null ? undefined : () => setAfter(next)}
            />
          </>
        )}
      </Answer>
      <Outcome of={repeat} done="It is sent again." />
      <Replay id={id} url={url} />
    </>
  );
}

const timeIn = (text = '') => new Date(`${text}Z`).toISOString();

function Replay({ id, url }: { id: string; url: string }) {
  const replay = useMutation({
    mutationFn: ({ from, to }: Record<string, string>) =>
      call('post', '/api/webhooks/{id}/replays', { path: { id }, body: { from: timeIn(from), to: timeIn(to) } }),
    onSettled,
  });
  return (
    <form class="filters" aria-label={`Replay to ${url}`} onSubmit={(event) => replay.mutate(textsOf(event))}>
      <div>
        <Field name="from" label="Events from (UTC)" type="datetime-local" required />
      </div>
      <div>
        <Field name="to" label="Until (UTC)" type="datetime-local" required />
      </div>
      <button type="submit" disabled={replay.isPending}>
        Send again
      </button>
      <Outcome of={replay} done={`${replay.data?.deliveries} deliveries are sent again.`} />
    </form>
  );
}
