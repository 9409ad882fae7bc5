import type { Event, Parts } from './parts.ts';

export interface Step {
  at: string;
  service: string;
  text: string;
  /** Further text, such as the event as it was published. */
  detail?: string;
  traceId?: string;
}

/** What has happened to an order, over all services, the oldest first. */
export function timelineOf({ order, reservation, payment, mails, invoices, letters }: Parts): Step[] {
  const steps: Step[] = [];
  if (order !== undefined) {
    steps.push(
      { at: order.createdAt, service: 'order', text: 'The order was placed' },
      ...step(order.paidAt, 'order', 'The payment was recorded'),
      ...step(order.shippedAt, 'order', 'The order was shipped'),
      ...step(order.cancelledAt, 'order', `The order was cancelled: ${order.cancelReason ?? 'no reason'}`),
      ...step(order.deletedAt, 'order', 'Its owner deleted the order'),
      ...order.events.map(eventOf('order')),
    );
  }
  if (reservation !== undefined) {
    steps.push({ at: reservation.createdAt, service: 'inventory', text: 'The stock was looked at' });
    if (reservation.updatedAt !== reservation.createdAt || reservation.status !== 'RESERVED') {
      steps.push({ at: reservation.updatedAt, service: 'inventory', text: `The reservation is ${reservation.status}` });
    }
    steps.push(...reservation.events.map(eventOf('inventory')));
  }
  if (payment !== undefined) {
    const why = payment.reason === null ? '' : `: ${payment.reason}`;
    steps.push({ at: payment.createdAt, service: 'payment', text: 'The payment began' });
    steps.push({ at: payment.updatedAt, service: 'payment', text: `The payment is ${payment.status}${why}` });
    steps.push(...payment.events.map(eventOf('payment')));
  }
  for (const { subject, createdAt, sentAt, refusal } of mails) {
    steps.push({ at: createdAt, service: 'notification', text: `A mail was written: ${subject}` });
    steps.push(...step(sentAt, 'notification', `The mail server took: ${subject}`));
    if (refusal)
      steps.push({
        at: createdAt,
        service: 'notification',
        text: `The mail server refuses: ${subject}`,
        detail: refusal,
      });
  }
  for (const { number, createdAt } of invoices) {
    steps.push({ at: createdAt, service: 'invoice', text: `Invoice ${number} was written` });
  }
  for (const { group, kind, error, time } of letters) {
    steps.push(...step(time, group, `${kind ?? 'A message'} became a dead letter`, error));
  }
  return steps.sort((a, b) => a.at.localeCompare(b.at));
}

const step = (at: string | null | undefined, service: string, text: string, detail?: string): Step[] =>
  at ? [{ at, service, text, ...(detail !== undefined && { detail }) }] : [];

const eventOf =
  (service: string) =>
  ({ kind, createdAt, sentAt, payload, traceId }: Event): Step => ({
    ...{ at: createdAt, service, detail: payload },
    text: `Event ${kind}, ${sentAt === null ? 'not published yet' : `published at ${sentAt.slice(11, 23)}`}`,
    ...(traceId !== null && { traceId }),
  });

/** What an order waits for, as sentences; none if it is done. */
export function waitingFor({ order, reservation, payment, letters, problems }: Parts): string[] {
  const held = letters.map(
    ({ group, kind, id }) => `${group} failed to handle ${kind ?? 'a message'}: dead letter ${id}`,
  );
  const unsent = [
    ['order', order?.events ?? []],
    ['inventory', reservation?.events ?? []],
    ['payment', payment?.events ?? []],
  ] as const;
  const unpublished = unsent.flatMap(([service, events]) =>
    events.filter(({ sentAt }) => sentAt === null).map(({ kind }) => `The relay of ${service} has to publish ${kind}`),
  );
  // Whatever failed, or is on its way, is the reason; without all answers nothing else can be told.
  const isKnown = held.length + unpublished.length + problems.length === 0;
  return [...held, ...unpublished, ...(isKnown ? nextStep({ order, reservation, payment }) : [])];
}

function nextStep({ order, reservation, payment }: Pick<Parts, 'order' | 'reservation' | 'payment'>): string[] {
  if (order === undefined) return [];
  if (order.status === 'CONFIRMED') {
    if (order.shippedAt === undefined) return ['The shipment, which is due some time after the payment'];
    return reservation?.status === 'RESERVED' ? ['inventory-group has to settle the stock'] : [];
  }
  if (order.status === 'CANCELLED') {
    if (reservation?.status === 'RESERVED') return ['inventory-group has to release the stock'];
    return payment?.status === 'PAID' ? ['payment-group has to refund the payment'] : [];
  }
  if (reservation === undefined) return ['inventory-group has to reserve the stock'];
  if (reservation.status !== 'RESERVED') return [`order-group has to record that the stock is ${reservation.status}`];
  if (payment === undefined) return ['payment-group has to charge the payment'];
  if (payment.status === 'CHARGING') return ['The payment provider has to answer'];
  if (payment.status === 'FAILED') return ['inventory-group has to release the stock'];
  return ['order-group has to record the payment'];
}
