import type { Order } from '@store-platform/client';
import { when } from './order-status.tsx';

interface Step {
  state: 'done' | 'now' | 'later' | 'ended';
  title: string;
  note?: string;
}

const usual = 'Stock is reserved, then your payment is taken.';
const late =
  'This is taking longer than usual. Do not order again: the order will go through, or be cancelled at no cost.';
const isLate = (createdAt: string) => Date.now() - Date.parse(createdAt) > 60_000;

function stepsOf(order: Order, reason: string | undefined): Step[] {
  const { status, createdAt, paidAt, shippedAt, cancelledAt } = order;
  const placed: Step = { state: 'done', title: 'Placed', note: when(createdAt) };
  const paid: Step = { state: 'done', title: 'Confirmed', note: paidAt && when(paidAt) };
  const paidUntilNow = paidAt ? [paid] : [];
  const shipped: Step = { state: 'done', title: 'Shipped', note: shippedAt && when(shippedAt) };
  switch (status) {
    case 'PENDING':
      if (shippedAt) return [placed, shipped];
      return [
        placed,
        { state: 'now', title: 'Confirming', note: isLate(createdAt) ? late : usual },
        { state: 'later', title: 'Shipped' },
      ];
    case 'CONFIRMED':
      if (shippedAt) return [placed, paid, shipped];
      return [placed, paid, { state: 'now', title: 'Getting ready to ship', note: 'Until then you can cancel.' }];
    case 'CANCELLED':
      return [
        placed,
        ...paidUntilNow,
        {
          state: 'ended',
          title: 'Cancelled',
          note: [cancelledAt && when(cancelledAt), reason].filter(Boolean).join(' · '),
        },
      ];
    default:
      // A status of a later release of the store.
      return [
        placed,
        ...paidUntilNow,
        ...(shippedAt ? [shipped] : []),
        { state: 'now', title: status satisfies never },
      ];
  }
}

/** The steps of an order, and which it has reached. */
export function OrderSteps({ order, reason }: { order: Order; reason: string | undefined }) {
  return (
    <ol class="steps">
      {stepsOf(order, reason).map(({ state, title, note }) => (
        <li key={title} class={state} aria-current={state === 'now' ? 'step' : undefined}>
          <strong>{title}</strong>
          {note && <span>{note}</span>}
        </li>
      ))}
    </ol>
  );
}
