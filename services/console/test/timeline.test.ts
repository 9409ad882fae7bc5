import type { Parts } from '../src/orders/parts.ts';
import { timelineOf, waitingFor } from '../src/orders/timeline.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 31, 9, 30, seconds)).toISOString();
const event = (kind: string, second: number, sentAt: string | null = at(second)) => ({
  ...{ id: kind, kind, payload: '{}', traceId: null },
  ...{ createdAt: at(second), sentAt },
});
const order = {
  ...{ id: 'o', customerId: 'c', total: { amount: 1, currency: 'USD' }, items: [], createdAt: at(0) },
  ...{ cancelReason: null, deletedAt: null, events: [event('OrderCreated', 0)], status: 'PENDING' as const },
};
const reservation = { status: 'RESERVED', createdAt: at(1), updatedAt: at(1), events: [event('StockReserved', 1)] };
const payment = { status: 'PAID', reason: null, createdAt: at(2), updatedAt: at(3), events: [event('OrderPaid', 3)] };
const letter = { id: 'l', group: 'payment-group', kind: 'StockReserved', error: 'broken', time: at(2) };
const nothing: Parts = {
  ...{ order, reservation: undefined, payment: undefined },
  ...{ mails: [], invoices: [], letters: [], problems: [] },
};
const confirmed = { ...order, status: 'CONFIRMED' as const, paidAt: at(4) };

test.each<[string, Partial<Parts>, string[]]>([
  ['its reservation', {}, ['inventory-group has to reserve the stock']],
  ['its payment', { reservation }, ['payment-group has to charge the payment']],
  [
    'the provider',
    { reservation, payment: { ...payment, status: 'CHARGING' } },
    ['The payment provider has to answer'],
  ],
  ['the record of its payment', { reservation, payment }, ['order-group has to record the payment']],
  [
    'its rejection',
    { reservation: { ...reservation, status: 'REJECTED' } },
    ['order-group has to record that the stock is REJECTED'],
  ],
  [
    'a relay',
    { order: { ...order, events: [event('OrderCreated', 0, null)] } },
    ['The relay of order has to publish OrderCreated'],
  ],
  [
    'a dead letter',
    { reservation, letters: [letter] },
    ['payment-group failed to handle StockReserved: dead letter l'],
  ],
  [
    'its shipment',
    { order: confirmed, reservation, payment },
    ['The shipment, which is due some time after the payment'],
  ],
  [
    'nothing',
    { order: { ...confirmed, shippedAt: at(9) }, reservation: { ...reservation, status: 'SHIPPED' }, payment },
    [],
  ],
  ['a refund', { order: { ...order, status: 'CANCELLED' }, payment }, ['payment-group has to refund the payment']],
  ['what is not known', { problems: ['The inventory service is not available'] }, []],
])('an order waits for %s', (_, parts, expected) => {
  expect(waitingFor({ ...nothing, ...parts })).toEqual(expected);
});

test('a timeline has the steps of all services by their time', () => {
  const mails = [{ kind: 'OrderPaid', subject: 'Thank you', createdAt: at(5), sentAt: at(6) }];
  const steps = timelineOf({
    ...nothing,
    order: confirmed,
    reservation,
    payment,
    mails,
    invoices: [{ number: 7, createdAt: at(7) }],
  });
  expect(steps.map(({ service, text }) => `${service}: ${text.replace(/, published.*/, '')}`)).toEqual([
    'order: The order was placed',
    'order: Event OrderCreated',
    'inventory: The stock was looked at',
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
