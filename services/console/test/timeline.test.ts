import { orderStatuses } from '@store/shared/contracts/order';
import { paymentStatuses, reservationStatuses } from '@store/shared/contracts/order-record';
import { Decimal } from '@store/shared/values/money';
import type { Letter, Parts } from '../src/orders/parts.ts';
import { timelineOf } from '../src/orders/timeline.ts';
import { discardedOf, waitingFor } from '../src/orders/waiting.ts';
import { order as received } from './_order.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 31, 9, 30, seconds)).toISOString();
const event = (kind: string, second: number, sentAt: string | null = at(second)) => ({
  id: kind,
  kind,
  payload: '{}',
  traceId: null,
  createdAt: at(second),
  sentAt,
});
const order = {
  ...received,
  total: { amount: new Decimal(1), currency: 'USD' },
  status: 'PENDING' as const,
  shippingAddress: null,
  metadata: null,
  shipment: null,
};
const ids = { orderId: order.id, customerId: order.customerId };
const reservation = {
  ...ids,
  status: 'RESERVED' as const,
  items: [],
  createdAt: at(1),
  updatedAt: at(1),
  events: [event('StockReserved', 1)],
};
const payment = {
  ...ids,
  status: 'PAID' as const,
  amount: order.total,
  paymentId: 'p',
  reason: null,
  createdAt: at(2),
  updatedAt: at(3),
  events: [event('OrderPaid', 3)],
  refunds: [],
  disputes: [],
};
const decision = (outcome: 'REDRIVEN' | 'FAILED' | 'DISCARDED', second: number, reason: string | null = null) => ({
  outcome,
  reason,
  requestedBy: 'ann',
  at: at(second),
});
const letter: Letter = {
  id: 'l',
  group: 'payment-group',
  service: 'payment',
  kind: 'StockReserved',
  error: 'broken',
  time: at(2),
  decisions: [],
};
const discarded = {
  ...letter,
  decisions: [decision('FAILED', 3, 'broken again'), decision('DISCARDED', 4, 'told them')],
};
const nothing: Parts = {
  order,
  reservation: undefined,
  payment: undefined,
  mails: [],
  invoices: [],
  creditNotes: [],
  letters: [],
  problems: [],
};
const decided = (outcome: 'REDRIVEN' | 'FAILED') => ({ ...letter, decisions: [decision(outcome, 3)] });
const failed = 'payment-group failed to handle StockReserved: dead letter l';
const unpublished = { ...order, events: [event('OrderCreated', 0, null)] };
const rejected = { ...reservation, status: 'REJECTED' as const };
const shipped = { ...reservation, status: 'SHIPPED' as const };
const charging = { ...payment, status: 'CHARGING' as const };
const acting = { status: 'action-required', refunded: { amount: new Decimal(0), currency: 'USD' } };
const released = { ...reservation, status: 'RELEASED' as const };
const cancelled = { ...order, status: 'CANCELLED' as const };
const unmailed = { ...letter, group: 'notification-group', service: 'notification', kind: 'OrderCancelled' };
const unsent = 'notification-group failed to handle OrderCancelled: dead letter l';
const confirmed = { ...order, status: 'CONFIRMED' as const, paidAt: at(4) };

describe('an order', () => {
  it.each<[string, Partial<Parts>, string[]]>([
    ['its reservation', {}, ['inventory-group has to reserve the stock']],
    ['its payment', { reservation }, ['payment-group has to charge the payment']],
    ['the provider', { reservation, payment: charging }, ['payment-group has to hear from the payment provider']],
    [
      'its customer',
      { order: { ...order, payment: acting }, reservation, payment: charging },
      ['The customer, who has to answer a bank'],
    ],
    ['the record of its payment', { reservation, payment }, ['order-group has to record the payment']],
    ['its rejection', { reservation: rejected }, ['order-group has to record that the stock is REJECTED']],
    ['a relay', { order: unpublished }, ['The relay of order has to publish OrderCreated']],
    ['a dead letter', { reservation, letters: [letter] }, [failed]],
    ['a dead letter that failed again', { reservation, letters: [decided('FAILED')] }, [failed]],
    [
      'its cancellation',
      { reservation, letters: [discarded] },
      [expect.stringMatching(/^Its cancellation, .*discarded$/)],
    ],
    [
      'its payment, redriven',
      { reservation, letters: [decided('REDRIVEN')] },
      ['payment-group has to charge the payment'],
    ],
    [
      'its shipment',
      { order: confirmed, reservation, payment },
      [expect.stringMatching(/^The shipment, some time after the payment/)],
    ],
    ['nothing', { order: { ...confirmed, shippedAt: at(9) }, reservation: shipped, payment }, []],
    ['nothing, cancelled before its dead letter was handled', { order: cancelled, letters: [letter] }, []],
    [
      'a dead letter that holds back its refund',
      { order: cancelled, reservation: released, payment, letters: [letter] },
      [failed],
    ],
    ['a dead letter of another group, though cancelled', { order: cancelled, letters: [unmailed] }, [unsent]],
    [
      'a dead letter, while it is not known whether its stock is held',
      { order: cancelled, letters: [letter], problems: ['The inventory service is not available'] },
      [failed],
    ],
    ['a refund', { order: { ...order, status: 'CANCELLED' }, payment }, ['payment-group has to refund the payment']],
    ['what order knows', { order: undefined, payment }, []],
    ['what is not known', { problems: ['The inventory service is not available'] }, []],
  ])('waits for %s', (_, parts, expected) => {
    expect(waitingFor({ ...nothing, ...parts })).toEqual(expected);
  });

  const parts = { ...nothing, reservation, payment };
  it.each(orderStatuses.flatMap((status) => reservationStatuses.map((reserved) => [status, reserved] as const)))(
    'that is %s with a reservation that is %s waits for at most one step of a group, or for the shipment',
    (status, reserved) => {
      for (const paid of paymentStatuses) {
        const texts = waitingFor({
          ...nothing,
          order: { ...order, status },
          reservation: { ...reservation, status: reserved },
          payment: { ...payment, status: paid },
        });
        expect(texts.length).toBeLessThanOrEqual(1);
        for (const text of texts) expect(text).toMatch(/^(inventory-group|order-group|payment-group|The shipment)/);
      }
    },
  );

  it.each([
    ['The order', { order: { ...order, status: 'ON_HOLD' } }],
    ['The reservation', { reservation: { ...reservation, status: 'ON_HOLD' } }],
    ['The payment', { payment: { ...payment, status: 'ON_HOLD' } }],
    ['The payment', { order: confirmed, payment: { ...payment, status: 'ON_HOLD' } }],
  ])('says that a status of a later release is not known: %s (%#)', (what, part) => {
    expect(waitingFor({ ...parts, ...part })).toEqual([`${what} is ON_HOLD, which this console does not know`]);
    expect(waitingFor({ ...parts, ...part, letters: [letter] })).toEqual([failed]);
  });

  it('has a timeline with unchanged statuses and decisions of a later release', () => {
    const held = { ...payment, status: 'ON_HOLD' };
    const letters = [{ ...letter, decisions: [{ ...decision('REDRIVEN', 3), outcome: 'POSTPONED' }] }];
    const texts = timelineOf({ ...nothing, payment: held, letters }).map(({ text }) => text);
    expect(texts).toContain('The payment is ON_HOLD');
    expect(texts).toContain('ann decided POSTPONED about StockReserved');
  });

  it('has a timeline with the steps of all services by time', () => {
    const mail = { ...ids, id: 'm', kind: 'OrderPaid', subject: 'Thank you', text: 'Thank you.' };
    const invoice = { ...ids, number: 7, paymentId: 'p', amount: order.total, paidAt: at(3), createdAt: at(7) };
    const steps = timelineOf({
      ...nothing,
      order: confirmed,
      reservation,
      payment,
      mails: [{ ...mail, createdAt: at(5), sentAt: at(6) }],
      invoices: [invoice],
    });
    expect(steps.map(({ service, text }) => `${service}: ${text.replace(/, published.*/, '')}`)).toEqual([
      'order: The order was placed',
      'order: Event OrderCreated',
      'inventory: Stock was checked',
      'inventory: Event StockReserved',
      'payment: The payment began',
      'payment: The payment is PAID',
      'payment: Event OrderPaid',
      'order: The payment was recorded',
      'notification: A mail was written: Thank you',
      'notification: The mail server took: Thank you',
      'invoice: Invoice 7 was written',
    ]);
  });

  it('has its refunds and disputes in the timeline', () => {
    const refund = {
      ...{ id: 'r', orderId: order.id, amount: order.total, lines: null, source: 'operator', providerRef: null },
      ...{ reason: 'Broken.', actor: 'operator Ann', createdAt: at(4), updatedAt: at(5) },
    };
    const refunds = [
      { ...refund, state: 'FAILED', failure: 'The provider has refused it.' },
      { ...refund, state: 'PENDING', failure: null, source: 'cancellation', actor: null, reason: null },
    ];
    const disputes = [{ ...refund, providerRef: 'dp_1', state: 'LOST', createdAt: at(6), updatedAt: at(7) }];
    const all = timelineOf({ ...nothing, payment: { ...payment, events: [], refunds, disputes } });
    const steps = all.filter(({ service }) => service === 'payment').slice(2);
    const amount = `${order.total.amount}.00 USD`;
    expect(steps.map(({ text, isBad = false }) => [text, isBad])).toEqual([
      [`operator Ann refunded ${amount}: Broken.`, false],
      [`The cancellation refunded ${amount}`, false],
      [`The refund of ${amount} is FAILED`, true],
      [`The customer's bank began a dispute about ${amount}`, true],
      [`The state of a dispute about ${amount} is LOST`, false],
    ]);
    expect(steps[2]?.detail).toBe('The provider has refused it.');
  });

  it.each([
    ['payment-group has to refund the payment', [{ state: 'PENDING' }], [{ state: 'OPEN' }]],
    ['An operator has to refund the payment, because the provider has refused', [{ state: 'FAILED' }], []],
    ["The decision of the customer's bank, which has a dispute about the payment", [], [{ state: 'OPEN' }]],
  ])('waits, once it is cancelled, for: %s', (text, refunds, disputes) => {
    const back = { refunds, disputes } as never;
    const parts = {
      ...nothing,
      order: { ...order, status: 'CANCELLED' },
      payment: { ...payment, ...(back as object) },
    };
    expect(waitingFor(parts)).toEqual([text]);
  });

  it("has its dead letters and their decisions in the timeline, in the service's lane", () => {
    const steps = timelineOf({
      ...nothing,
      letters: [{ ...discarded, service: 'order-worker', group: 'order-group' }],
    });
    const bad = { service: 'order', isBad: true };
    expect(steps.filter(({ isBad }) => isBad)).toEqual([
      { ...bad, at: at(2), text: 'order-group made StockReserved a dead letter', detail: 'broken' },
      { ...bad, at: at(3), text: 'ann redrove StockReserved, which failed again', detail: 'broken again' },
      { ...bad, at: at(4), text: 'ann discarded StockReserved', detail: 'told them' },
    ]);
    const good = { text: 'ann redrove StockReserved', isBad: false };
    expect(timelineOf({ ...nothing, letters: [decided('REDRIVEN')] }).at(-1)).toMatchObject(good);
  });

  it('has its shipment, with carrier and tracking number if they were entered', () => {
    const shipped = { ...order, shippedAt: at(5) };
    const textsOf = (shipment: typeof order.shipment | object) =>
      timelineOf({ ...nothing, order: { ...shipped, shipment } as never }).map(({ text }) => text);
    expect(textsOf(null)).toContain('The order was shipped');
    const parcel = { carrier: 'CTT', trackingNumber: 'DB1', trackingUrl: null };
    expect(textsOf(parcel)).toContain('The order was shipped by CTT, tracking number DB1');
    expect(textsOf({ ...parcel, carrier: null })).toContain('The order was shipped, tracking number DB1');
  });

  it('has its cancellation, with actor and reason, and the notes of operators in the timeline', () => {
    const note = { id: order.id, actor: 'operator ann', createdAt: at(5) };
    const notes = [
      { ...note, kind: 'NOTE', text: 'Called back.' },
      { ...note, kind: 'CANCELLATION', text: 'Wrong size.' },
    ];
    const texts = timelineOf({ ...nothing, order: { ...order, notes } }).map(({ text }) => text);
    expect(texts).toContain('operator ann noted: Called back.');
    expect(texts).toContain('operator ann cancelled the order: Wrong size.');
  });

  it('says which of its messages were discarded', () => {
    expect(discardedOf({ letters: [letter, discarded] })).toEqual([
      'ann discarded StockReserved, so that payment-group never handles it: told them',
    ]);
  });
});
