import { useQuery } from '@tanstack/preact-query';
import { Fragment } from 'preact';
import { useRef } from 'preact/hooks';
import { type AnswerTo, call } from '../api/call.ts';
import type { components } from '../generated/schema.ts';
import { ageOf } from '../parts/clock.ts';
import { Answer, Badge, money, Problems, Time } from '../parts/parts.tsx';
import { Cancel, CreditNote, Invoice, Messages, Notes, Refunds, Ship } from './orders/actions.tsx';
import { Lanes } from './orders/lanes.tsx';

const quickMs = 1_000;

/** An order, what it waits for, and what happened to it. */
export function Order({ id }: { id: string }) {
  const ask = (withinMs?: number) => call('get', '/api/orders/{id}', { path: { id }, query: { withinMs } });
  const all = useQuery({ queryKey: ['order', id], queryFn: () => ask(), refetchInterval: 2_000 });
  // Show the quick answers until the slow ones have come.
  const quick = useQuery({
    queryKey: ['order quickly', id],
    queryFn: () => ask(quickMs),
    staleTime: 'static',
    refetchInterval: false,
    gcTime: 0,
  });
  return <Answer of={{ ...all, data: all.data ?? quick.data }}>{(known) => <Known id={id} known={known} />}</Answer>;
}

interface KnownProps {
  id: string;
  known: AnswerTo<'showOrder'>;
}

function Known({ id, known }: KnownProps) {
  const { timeline, waitingFor, discarded, problems, letters, mails, invoices, creditNotes } = known;
  const { payment, refunds, disputes } = known;
  // While the order service is unavailable, keep the last order, so that texts being typed and outcomes of actions stay.
  const last = useRef(known);
  if (known.order !== null) last.current = known;
  const { order, customer } = last.current;
  return (
    <>
      <section class="card" aria-label="Order">
        <h2>
          Order <code>{id}</code>
        </h2>
        {order && (
          <p>
            <Badge text={order.status} /> {money(order.total)},{' '}
            {order.items.length === 1 ? '1 product' : `${order.items.length} products`}, placed {ageOf(order.createdAt)}{' '}
            ago
          </p>
        )}
        {order?.payment && (
          <p>
            Payment <Badge text={order.payment.status} />
            {order.payment.refunded.amount > 0 && <> {money(order.payment.refunded)} returned</>}
          </p>
        )}
        {order && (
          <ul>
            {order.items.map(({ productId, name, quantity }) => (
              <li key={productId}>
                {quantity} ×{' '}
                <a href={`#/stock/${productId}`}>
                  <bdi>{name ?? productId}</bdi>
                </a>
              </li>
            ))}
          </ul>
        )}
        {order && (
          <p>
            Customer{' '}
            <a href={`#/accounts/${order.customerId}`}>
              <bdi>{customer ?? order.customerId}</bdi>
            </a>
            , <a href={`#/orders?customer=${order.customerId}`}>all orders</a>
          </p>
        )}
        {invoices.map((number) => (
          <Invoice key={number} id={id} number={number} />
        ))}
        {creditNotes.map((number) => (
          <CreditNote key={number} id={id} number={number} />
        ))}
        {order?.shippingAddress && <Address of={order.shippingAddress} />}
        {order?.shipment && <Shipment of={order.shipment} />}
        {discarded.map((text) => (
          <p key={text} class="bad">
            {text}
          </p>
        ))}
        <Problems texts={problems} />
        <h3>Waits for</h3>
        {waitingFor.length === 0 ? (
          <p role="status">
            {problems.length === 0
              ? 'Nothing: the order is done.'
              : 'Not known: a service does not answer, and the order may be waiting for it.'}
          </p>
        ) : (
          <div role="status">
            <ul>
              {waitingFor.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </div>
        )}
        {letters.length > 0 && (
          <p>
            <a href={`#/dead-letters?${id}`}>Show the dead letters of this order</a>
          </p>
        )}
        <div class="actions">
          {order && canBeShipped(order) && <Ship id={id} />}
          {order && canBeCancelled(order) && <Cancel id={id} />}
        </div>
      </section>
      <Refunds order={order} payment={payment} refunds={refunds} disputes={disputes} />
      {order && <Notes id={id} notes={order.notes} />}
      <Messages mails={mails} problems={problems} />
      <section class="card" aria-label="Timeline">
        <h2>Timeline</h2>
        <Lanes steps={timeline} />
        <ol class="timeline">
          {timeline.map(({ at, service, text, isBad, detail, traceId }) => (
            <li key={`${at} ${service} ${text}`}>
              <Time at={at} precise /> <strong>{service}</strong> <span class={isBad ? 'bad' : undefined}>{text}</span>
              {(detail || traceId) && (
                <details>
                  <summary>Details</summary>
                  <pre>{detail}</pre>
                  {traceId && (
                    <p>
                      Trace <code>{traceId}</code>
                    </p>
                  )}
                </details>
              )}
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}

/** The order service decides. An order with a status of a later release may be cancellable. */
const canBeCancelled = ({ status, shippedAt }: { status: string; shippedAt?: string }) =>
  status !== 'CANCELLED' && shippedAt === undefined;

const canBeShipped = ({ status, shippedAt }: { status: string; shippedAt?: string }) =>
  status === 'CONFIRMED' && shippedAt === undefined;

type ShownOrder = NonNullable<AnswerTo<'showOrder'>['order']>;

function Shipment({ of }: { of: NonNullable<ShownOrder['shipment']> }) {
  const { carrier, trackingNumber, trackingUrl } = of;
  return (
    <p>
      Shipped{carrier !== null && ' by '}
      <bdi>{carrier}</bdi>
      {trackingNumber !== null && ', tracking number '}
      <bdi>{trackingNumber}</bdi>
      {trackingUrl !== null && (
        <>
          ,{' '}
          <a href={trackingUrl} target="_blank" rel="noreferrer">
            tracking page
          </a>
        </>
      )}
    </p>
  );
}

function Address({ of }: { of: components['schemas']['AddressOut'] }) {
  const { name, lines, postalCode, city, region, country } = of;
  const place = [postalCode, city].filter(Boolean).join(' ');
  const parts = [name, ...lines, place, region, country].filter(Boolean);
  return (
    <p>
      To{' '}
      {parts.map((part, index) => (
        <Fragment key={index}>
          {index > 0 && ', '}
          <bdi>{part}</bdi>
        </Fragment>
      ))}
    </p>
  );
}
