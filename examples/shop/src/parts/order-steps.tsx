import type { Order } from '@store-platform/client';
import { when } from './order-status.tsx';

interface Step {
  state: 'done' | 'now' | 'later' | 'ended';
  title: string;
  note?: string;
  /** Where the customer has to go. */
  link?: { url: string; text: string };
}

const usual = 'Stock is reserved, then your payment is taken.';
const late =
  'This is taking longer than usual. Do not order again: the order will go through, or be cancelled at no cost.';
const declined = 'Nothing was taken. Put the products back into your basket to order again, with another card.';
const isLate = (createdAt: string) => Date.now() - Date.parse(createdAt) > 60_000;

function stepsOf(order: Order, reason: string | undefined): Step[] {
  const { status, createdAt, paidAt, shippedAt, cancelledAt, payment } = order;
  const placed: Step = { state: 'done', title: 'Placed', note: when(createdAt) };
  const paid: Step = { state: 'done', title: 'Confirmed', note: paidAt && when(paidAt) };
  const paidUntilNow = paidAt ? [paid] : [];
  const shipped: Step = { state: 'done', title: 'Shipped', note: shippedAt && when(shippedAt) };
  switch (status) {
    case 'PENDING':
      if (shippedAt) return [placed, shipped];
      if (payment?.nextAction)
        return [
          placed,
          {
            state: 'now',
            title: 'Waiting for you',
            note: 'Your bank wants to know that it is you. Your order goes on once you have answered.',
            link: { url: payment.nextAction.url, text: 'Go to your bank' },
          },
          { state: 'later', title: 'Shipped' },
        ];
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
          title: payment?.status === 'failed' ? 'Your payment was declined' : 'Cancelled',
          note: [cancelledAt && when(cancelledAt), payment?.status === 'failed' ? declined : reason]
            .filter(Boolean)
            .join(' · '),
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
      {stepsOf(order, reason).map(({ state, title, note, link }) => (
        <li key={title} class={state} aria-current={state === 'now' ? 'step' : undefined}>
          <strong>{title}</strong>
          {note && <span>{note}</span>}
          {link && (
            <a class="button" href={link.url}>
              {link.text}
            </a>
          )}
        </li>
      ))}
    </ol>
  );
}
