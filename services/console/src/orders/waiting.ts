import { orderStatuses } from '@store/shared/contracts/order';
import { paymentStatuses, reservationStatuses } from '@store/shared/contracts/order-record';
import type { Letter, Parts } from './parts.ts';

/** Returns sentences that say what an order waits for; none if it is done. */
export function waitingFor(parts: Parts): string[] {
  const { order, reservation, payment, letters, problems } = parts;
  const open = letters.filter((letter) => isOpen(letter) && !isOvertaken(letter, parts));
  const held = open.map(({ group, kind, id }) => `${group} failed to handle ${kind ?? 'a message'}: dead letter ${id}`);
  const unsent = [
    ['order', order?.events ?? []],
    ['inventory', reservation?.events ?? []],
    ['payment', payment?.events ?? []],
  ] as const;
  const unpublished = unsent.flatMap(([service, events]) =>
    events.filter(({ sentAt }) => sentAt === null).map(({ kind }) => `The relay of ${service} has to publish ${kind}`),
  );
  // A failure or an unpublished event is the reason. If an answer is missing, nothing else can be said.
  const isKnown = held.length + unpublished.length + problems.length === 0;
  return [...held, ...unpublished, ...(isKnown ? stepOf(parts) : [])];
}

/** Leaves out the steps of groups with a discarded message: discarding it means that they never happen. */
function stepOf(parts: Parts): string[] {
  const groups = parts.letters.filter(isDiscarded).map(({ group }) => group);
  const steps = nextStep(parts).filter((text) => !groups.some((group) => text.startsWith(`${group} `)));
  if (steps.length > 0 || groups.length === 0 || parts.order?.status !== 'PENDING') return steps;
  return ['Its cancellation, once it has been PENDING for too long, because a message that it needs was discarded'];
}

const isOpen = ({ decisions }: Letter) => decisions.every(({ outcome }) => outcome === 'FAILED');

/** The groups that take the steps of {@link nextStep}. */
const stepGroups = ['order-group', 'inventory-group', 'payment-group'];

/** Whether the cancellation made the message pointless: the order holds neither stock nor money that its group has to return. */
const isOvertaken = ({ group }: Letter, parts: Parts): boolean =>
  parts.order?.status === 'CANCELLED' &&
  parts.problems.length === 0 &&
  stepGroups.includes(group) &&
  nextStep(parts).length === 0;

const isDiscarded = ({ decisions }: Letter) => decisions.some(({ outcome }) => outcome === 'DISCARDED');

/** Says which messages were discarded, by whom and why. */
export const discardedOf = ({ letters }: Pick<Parts, 'letters'>): string[] =>
  letters.flatMap(({ group, kind, decisions }) =>
    decisions
      .filter(({ outcome }) => outcome === 'DISCARDED')
      .map(
        ({ requestedBy, reason }) =>
          `${requestedBy} discarded ${kind ?? 'a message'}, so that ${group} never handles it: ${reason ?? 'no reason'}`,
      ),
  );

function nextStep({ order, reservation, payment }: Pick<Parts, 'order' | 'reservation' | 'payment'>): string[] {
  if (order === undefined) return [];
  const own = knownIn(orderStatuses, order.status);
  const reserved = reservation && knownIn(reservationStatuses, reservation.status);
  const paid = payment && knownIn(paymentStatuses, payment.status);
  // Only a later release knows what its statuses wait for.
  const unknown = [
    ...(own === undefined ? [`The order is ${order.status}`] : []),
    ...(reservation && reserved === undefined ? [`The reservation is ${reservation.status}`] : []),
    ...(payment && paid === undefined ? [`The payment is ${payment.status}`] : []),
  ].map((text) => `${text}, which this console does not know`);
  if (own === undefined || unknown.length > 0) return unknown;
  switch (own) {
    case 'PENDING':
      if (order.payment?.status === 'action-required') return ['The customer, who has to answer a bank'];
      return ofPending(reserved, paid);
    case 'CONFIRMED':
      if (order.shippedAt === undefined) return ['The shipment, some time after the payment, or by an operator'];
      return reserved === 'RESERVED' ? ['inventory-group has to mark the stock as shipped'] : [];
    case 'CANCELLED':
      if (reserved === 'RESERVED') return ['inventory-group has to release the stock'];
      return paid === 'PAID' ? [refundStep(payment)] : [];
  }
}

/** What the paid payment of a cancelled order waits for. */
function refundStep({ refunds = [], disputes = [] }: Partial<NonNullable<Parts['payment']>> = {}): string {
  const isPending = refunds.some(({ state }) => state === 'PENDING');
  if (!isPending && disputes.some(({ state }) => state === 'OPEN'))
    return "The decision of the customer's bank, which has a dispute about the payment";
  if (!isPending && refunds.some(({ state }) => state === 'FAILED'))
    return 'An operator has to refund the payment, because the provider has refused';
  return 'payment-group has to refund the payment';
}

type ReservationStatus = (typeof reservationStatuses)[number];
type PaymentStatus = (typeof paymentStatuses)[number];

/** The next step of a PENDING order with reserved stock, by the status of its payment. */
const stepsOfPayment: Record<PaymentStatus, string> = {
  CHARGING: 'payment-group has to hear from the payment provider',
  FAILED: 'inventory-group has to release the stock',
  PAID: 'order-group has to record the payment',
  REFUNDED: 'order-group has to record the payment',
  CANCELLED: 'order-group has to record the payment',
};

function ofPending(reserved: ReservationStatus | undefined, paid: PaymentStatus | undefined): string[] {
  switch (reserved) {
    case undefined:
      return ['inventory-group has to reserve the stock'];
    case 'REJECTED':
    case 'RELEASED':
    case 'SHIPPED':
      return [`order-group has to record that the stock is ${reserved}`];
    case 'RESERVED':
      return [paid === undefined ? 'payment-group has to charge the payment' : stepsOfPayment[paid]];
  }
}

const knownIn = <Status extends string>(statuses: readonly Status[], status: string): Status | undefined =>
  statuses.find((one) => one === status);
