import type { Letter, Parts } from './parts.ts';

/** Tells what an order waits for, as sentences; none if it is done. */
export function waitingFor(parts: Parts): string[] {
  const { order, reservation, payment, letters, problems } = parts;
  const open = letters.filter(({ decisions }) => decisions.every(({ outcome }) => outcome === 'FAILED'));
  const held = open.map(({ group, kind, id }) => `${group} failed to handle ${kind ?? 'a message'}: dead letter ${id}`);
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
  return [...held, ...unpublished, ...(isKnown ? stepOf(parts) : [])];
}

/** Leaves out the steps of groups with a discarded message: whoever discarded it decided that they are never taken. */
function stepOf(parts: Parts): string[] {
  const groups = parts.letters.filter(isDiscarded).map(({ group }) => group);
  const steps = nextStep(parts).filter((text) => !groups.some((group) => text.startsWith(`${group} `)));
  if (steps.length > 0 || groups.length === 0 || parts.order?.status !== 'PENDING') return steps;
  return ['Its cancellation, which is due once it is PENDING for too long: what it needs was discarded'];
}

const isDiscarded = ({ decisions }: Letter) => decisions.some(({ outcome }) => outcome === 'DISCARDED');

/** Says what was discarded, by whom and why. */
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
  if (order.status === 'CONFIRMED') {
    if (order.shippedAt === undefined) return ['The shipment, which is due some time after the payment'];
    return reservation?.status === 'RESERVED' ? ['inventory-group has to mark the stock as shipped'] : [];
  }
  if (order.status === 'CANCELLED') {
    if (reservation?.status === 'RESERVED') return ['inventory-group has to release the stock'];
    return payment?.status === 'PAID' ? ['payment-group has to refund the payment'] : [];
  }
  if (reservation === undefined) return ['inventory-group has to reserve the stock'];
  if (reservation.status !== 'RESERVED') return [`order-group has to record that the stock is ${reservation.status}`];
  if (payment === undefined) return ['payment-group has to charge the payment'];
  if (payment.status === 'CHARGING') return ['payment-group has to hear from the payment provider'];
  if (payment.status === 'FAILED') return ['inventory-group has to release the stock'];
  return ['order-group has to record the payment'];
}
