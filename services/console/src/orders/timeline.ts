import type { DecisionOut } from '@store/shared/contracts/dead-letters';
import { inDecimals, type Money } from '@store/shared/values/money';
import type { Event, Letter, Note, Parts, Refund } from './parts.ts';
import type { Step } from './schemas.ts';

/** Lists what happened to an order in all services, oldest first. */
export function timelineOf({ order, reservation, payment, mails, invoices, creditNotes, letters }: Parts): Step[] {
  const steps: Step[] = [];
  if (order !== undefined) {
    steps.push(
      { at: order.createdAt, service: 'order', text: 'The order was placed' },
      ...step(order.paidAt, 'order', 'The payment was recorded'),
      ...step(order.shippedAt, 'order', shippedAs(order.shipment)),
      ...step(order.cancelledAt, 'order', `The order was cancelled: ${order.cancelReason ?? 'no reason'}`),
      ...step(order.deletedAt, 'order', 'Its owner deleted the order'),
      ...order.notes.map(noteOf),
      ...order.events.map(eventOf('order')),
    );
  }
  if (reservation !== undefined) {
    steps.push({ at: reservation.createdAt, service: 'inventory', text: 'Stock was checked' });
    if (reservation.updatedAt !== reservation.createdAt || reservation.status !== 'RESERVED') {
      steps.push({ at: reservation.updatedAt, service: 'inventory', text: `The reservation is ${reservation.status}` });
    }
    steps.push(...reservation.events.map(eventOf('inventory')));
  }
  if (payment !== undefined) {
    const why = payment.reason === null ? '' : `: ${payment.reason}`;
    steps.push({ at: payment.createdAt, service: 'payment', text: 'The payment began' });
    steps.push({ at: payment.updatedAt, service: 'payment', text: `The payment is ${payment.status}${why}` });
    steps.push(...payment.events.map(eventOf('payment')), ...payment.refunds.flatMap(refundSteps));
    for (const { amount, state, createdAt, updatedAt } of payment.disputes) {
      const what = `a dispute about ${moneyText(amount)}`;
      steps.push({ at: createdAt, service: 'payment', text: `The customer's bank began ${what}`, isBad: true });
      if (state !== 'OPEN') steps.push({ at: updatedAt, service: 'payment', text: `The state of ${what} is ${state}` });
    }
  }
  for (const { subject, createdAt, sentAt, refusal } of mails) {
    steps.push({ at: createdAt, service: 'notification', text: `A mail was written: ${subject}` });
    steps.push(...step(sentAt, 'notification', `The mail server took: ${subject}`));
    if (refusal) steps.push(...step(createdAt, 'notification', `The mail server refuses: ${subject}`, refusal));
  }
  for (const { number, createdAt } of invoices) {
    steps.push({ at: createdAt, service: 'invoice', text: `Invoice ${number} was written` });
  }
  for (const { number, createdAt } of creditNotes) {
    steps.push({ at: createdAt, service: 'invoice', text: `Credit note ${number} was written` });
  }
  for (const letter of letters) steps.push(...letterSteps(letter));
  return steps.sort((a, b) => a.at.localeCompare(b.at));
}

function shippedAs(shipment: NonNullable<Parts['order']>['shipment']): string {
  const { carrier = null, trackingNumber = null } = shipment ?? {};
  const by = carrier === null ? '' : ` by ${carrier}`;
  return `The order was shipped${by}${trackingNumber === null ? '' : `, tracking number ${trackingNumber}`}`;
}

function letterSteps({ service, group, kind, error, time, decisions }: Letter): Step[] {
  const lane = service.replace(/-worker$/, '');
  const what = kind ?? 'a message';
  return [
    ...step(time, lane, `${group} made ${what} a dead letter`, error),
    ...decisions.flatMap(({ at, outcome, requestedBy, reason }) =>
      step(at, lane, `${requestedBy} ${doneBy(outcome, what)}`, reason ?? undefined).map((one) => ({
        ...one,
        isBad: outcome !== 'REDRIVEN',
      })),
    ),
  ].map((one) => ({ isBad: true, ...one }));
}

/** A cancelled order's refund has no actor, nor has one that was made at the provider. */
function refundSteps({ amount, state, source, actor, reason, failure, createdAt, updatedAt }: Refund): Step[] {
  const by = actor ?? (source === 'provider' ? 'Somebody at the provider' : 'The cancellation');
  const text = `${by} refunded ${moneyText(amount)}${reason === null ? '' : `: ${reason}`}`;
  const made = { at: createdAt, service: 'payment', text };
  if (state === 'PENDING') return [made];
  const outcome = { at: updatedAt, service: 'payment', text: `The refund of ${moneyText(amount)} is ${state}` };
  return [made, failure === null ? outcome : { ...outcome, isBad: true, detail: failure }];
}

const moneyText = ({ amount, currency }: Money) => `${inDecimals(amount, currency)} ${currency}`;

const done: Record<DecisionOut['outcome'], (what: string) => string> = {
  REDRIVEN: (what) => `redrove ${what}`,
  FAILED: (what) => `redrove ${what}, which failed again`,
  DISCARDED: (what) => `discarded ${what}`,
};

const isKnown = (outcome: string): outcome is DecisionOut['outcome'] => Object.hasOwn(done, outcome);
const doneBy = (outcome: string, what: string) =>
  isKnown(outcome) ? done[outcome](what) : `decided ${outcome} about ${what}`;

const noteOf = ({ kind, actor, text, createdAt }: Note): Step => ({
  at: createdAt,
  service: 'order',
  text: kind === 'CANCELLATION' ? `${actor} cancelled the order: ${text}` : `${actor} noted: ${text}`,
});

const step = (at: string | null | undefined, service: string, text: string, detail?: string): Step[] =>
  at ? [{ at, service, text, ...(detail !== undefined && { detail }) }] : [];

const eventOf =
  (service: string) =>
  ({ kind, createdAt, sentAt, payload, traceId }: Event): Step => ({
    at: createdAt,
    service,
    detail: payload,
    text: `Event ${kind}, ${sentAt === null ? 'not published yet' : `published at ${sentAt.slice(11, 23)} UTC`}`,
    ...(traceId !== null && { traceId }),
  });
