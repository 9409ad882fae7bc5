import { type Cancellation, type Order, type Output, StoreProblem } from '@store-platform/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { AddressText } from '../parts/address.tsx';
import { Artwork } from '../parts/artwork.tsx';
import { CancelDialog } from '../parts/cancel-dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { isKnown, OrderStatus, shortId } from '../parts/order-status.tsx';
import { OrderSteps } from '../parts/order-steps.tsx';
import { Paused } from '../parts/paused.tsx';
import { PutBack } from '../parts/put-back.tsx';
import { ShipmentText } from '../parts/shipment.tsx';
import { useShop } from '../shop/context.ts';
import { useLookAgain } from '../shop/look-again.ts';
import { money } from '../shop/money.ts';
import { store } from '../shop/store.ts';

interface Shown {
  order: Order;
  cancellation?: Cancellation;
  creditNotes: Output<'getCreditNotes'>;
}

async function read(id: string, signal?: AbortSignal): Promise<Shown> {
  const order = await store.getOrder({ path: { id } }, { signal });
  const creditNotes = order.paidAt && isSettled(order) ? await creditNotesOf(id, signal) : [];
  if (order.status !== 'CANCELLED') return { order, creditNotes };
  return { order, creditNotes, cancellation: await store.getCancellation({ path: { id } }, { signal }) };
}

const isSettled = ({ status, shippedAt }: Order) => status === 'CANCELLED' || shippedAt !== undefined;

/** Without them the page is still of use. */
const creditNotesOf = (id: string, signal?: AbortSignal): Promise<Shown['creditNotes']> =>
  store.getCreditNotes({ path: { id } }, { signal }).catch((error) => {
    signal?.throwIfAborted();
    if (error instanceof StoreProblem && error.status === 401) throw error;
    return [];
  });

/** Whether the customer may cancel an order in this status. */
const isOpen: Record<Order['status'], boolean> = { PENDING: true, CONFIRMED: true, CANCELLED: false };

/** Whether money of a cancelled order is still to come back. */
const isReturning = (status: NonNullable<Order['payment']>['status']) =>
  status === 'paid' || status === 'partially-refunded';

/** Tells whether a retry would get the same answer, as for an order that does not exist. */
const isFinal = (error: unknown) =>
  error instanceof StoreProblem && error.status >= 400 && error.status < 500 && error.status !== 429;

/** Says how many pieces were left of a product that the order could not get. */
const left = (quantity: number) =>
  quantity === 0 ? 'It was sold out.' : `Only ${quantity} ${quantity === 1 ? 'was' : 'were'} left.`;

export function OrderPage({ id }: { id: string }) {
  const { live, explain, announce } = useShop();
  const [shown, setShown] = useState<Shown>();
  const [failure, setFailure] = useState<{ sentence: string; isFinal: boolean }>();
  const [busy, setBusy] = useState(true);
  const [looks, setLooks] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const order = shown?.order;
  const changedAt = live.changes.get(id)?.changedAt;
  // Live changes report neither the shipment nor the end of a failure, so the page has to look again.
  const isRefunding = order?.status === 'CANCELLED' && order.paidAt !== undefined && shown?.creditNotes.length === 0;
  const mayChange = isRefunding || (order?.status !== 'CANCELLED' && !order?.shippedAt);
  const mayCancel = order !== undefined && isKnown(order.status) && isOpen[order.status] && !order.shippedAt;
  const look = () => setLooks((before) => before + 1);
  useLookAgain(!busy && !failure?.isFinal && (mayChange || live.paused !== undefined), look);

  useEffect(() => {
    if (failure?.isFinal) return;
    const stop = new AbortController();
    setBusy(true);
    read(id, stop.signal).then(
      (current) => {
        setShown(current);
        setFailure(undefined);
        setBusy(false);
        if (order && !order.shippedAt && current.order.shippedAt) announce(`Order ${shortId(id)} is shipped.`);
      },
      (error) => {
        if (stop.signal.aborted) return;
        const isMissing = error instanceof StoreProblem && error.status === 404;
        setFailure({ sentence: isMissing ? 'There is no such order.' : explain(error), isFinal: isFinal(error) });
        setBusy(false);
      },
    );
    return () => stop.abort();
  }, [id, changedAt, live.starts, looks]);

  function tryAgain(): void {
    setFailure(undefined);
    look();
  }

  async function cancel(): Promise<void> {
    await store.cancelOrder({ path: { id } });
    setShown(await read(id));
    announce(`Order ${shortId(id)} is cancelled.`);
  }

  return (
    <>
      <p class="back">
        <a href="#/orders">← All orders</a>
      </p>
      <div class="page-head">
        <h1 tabIndex={-1}>Order {shortId(id)}</h1>
        {order && <OrderStatus order={order} />}
      </div>
      <Paused />
      <Failure sentence={failure?.sentence} onRetry={failure?.isFinal ? undefined : tryAgain} />
      {!order && !failure && <p class="waiting">One moment…</p>}
      {shown && order && (
        <div class="two-columns">
          <section aria-labelledby="items-title">
            <h2 id="items-title" class="unseen">
              Products
            </h2>
            <ul class="lines">
              {order.items.map(({ productId, name: soldAs, quantity, unitPrice }) => {
                const name = soldAs ?? 'A product';
                const lacking = shown.cancellation?.missing?.find((line) => line.productId === productId)?.quantity;
                return (
                  <li key={productId} class="line bought">
                    <Artwork name={name} />
                    <div class="line-text">
                      <h3 dir="auto">{name}</h3>
                      <p class="unit">
                        {quantity} × {money(unitPrice.amount, unitPrice.currency)}
                      </p>
                      {lacking && (
                        <p>
                          <strong>{left(quantity - lacking)}</strong>
                        </p>
                      )}
                    </div>
                  </li>
                );
              })}
            </ul>
          </section>
          <section class="summary" aria-labelledby="steps-title">
            <h2 id="steps-title">What happens</h2>
            <OrderSteps order={order} reason={shown.cancellation?.reason} />
            <dl>
              <div>
                <dt>Total</dt>
                <dd class="sum">{money(order.total.amount, order.total.currency)}</dd>
              </div>
              {order.payment && order.payment.refunded.amount > 0 && (
                <div>
                  <dt>Returned to you</dt>
                  <dd>{money(order.payment.refunded.amount, order.payment.refunded.currency)}</dd>
                </div>
              )}
            </dl>
            {order.status === 'CANCELLED' && order.payment && isReturning(order.payment.status) && (
              <p>Your payment is being returned.</p>
            )}
            {order.shippingAddress && <AddressText address={order.shippingAddress} />}
            {order.shipment && <ShipmentText shipment={order.shipment} />}
            {order.paidAt && (
              <p>
                <a href={`#/orders/${id}/invoice`}>Printable invoice</a>
              </p>
            )}
            {shown.creditNotes.map(({ number, amount }) => (
              <p key={number}>
                <a href={`#/orders/${id}/credit-notes/${number}`}>
                  Credit note {number} of {money(amount.amount, amount.currency)}
                </a>
              </p>
            ))}
            {order.status === 'CANCELLED' && <PutBack order={order} />}
            {mayCancel && (
              <button type="button" class="quiet" onClick={() => dialog.current?.showModal()}>
                Cancel the order
              </button>
            )}
          </section>
        </div>
      )}
      <CancelDialog dialog={dialog} onCancel={cancel} />
    </>
  );
}
