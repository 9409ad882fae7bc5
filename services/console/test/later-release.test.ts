import { type Answer, useConsole } from './_console.ts';
import { aLetter, order as known } from './_order.ts';

// Services may be of a later release than the console, during an upgrade and after a rollback (contract 10).

const order = {
  ...known,
  status: 'ON_HOLD',
  payment: { status: 'in-review', nextAction: { type: 'form', html: '' }, refunded: { amount: 0, currency: 'USD' } },
};
const at = order.createdAt;
const ids = { orderId: order.id, customerId: order.customerId };
const reservation = { ...ids, status: 'SPLIT', items: [], createdAt: at, updatedAt: at, events: order.events };
const payment = {
  ...ids,
  status: 'DISPUTED',
  amount: order.total,
  paymentId: null,
  reason: null,
  createdAt: at,
  updatedAt: at,
  events: [{ ...order.events[0], kind: 'PaymentDisputed' }],
};
const letter = {
  ...aLetter,
  kind: 'PaymentDisputed',
  decisions: [{ outcome: 'POSTPONED', reason: null, requestedBy: 'ann', at }],
};

const none = { content: [], page: { size: 20, number: 0, totalElements: 0, totalPages: 0 } };
const services: () => Record<string, Answer> = () => ({
  order: (_, path) => {
    if (path.startsWith('/internal/stuck-orders')) return { total: 1, orders: [order], next: 'cursor' };
    if (path.startsWith('/internal/orders?accountId=')) return [order, known];
    if (path.startsWith('/internal/orders?')) return [order];
    return order;
  },
  account: () => [{ id: order.customerId, name: 'Ada', email: 'ada@example.com', locale: 'en', createdAt: at }],
  inventory: () => reservation,
  payment: (_, path) =>
    path.startsWith('/internal/dead-letters') ? { group: 'payment-group', total: 1, letters: [letter] } : payment,
  notification: () => none,
  invoice: () => none,
});
const console = useConsole(services, { env: { GROUPS: 'payment' } });

it('an order with a status that the console does not know is found, counted and shown with that status', async () => {
  const found = await console.read(`/api/order-search?sought=${order.id}`).expect(200);
  expect(found.body.orders).toMatchObject([{ id: order.id, status: 'ON_HOLD' }]);
  const ofCustomer = await console.read(`/api/orders?customer=${order.customerId}`).expect(200);
  expect(ofCustomer.body.orders).toMatchObject([{ status: 'ON_HOLD' }, { status: 'PENDING' }]);
  const { body } = await console.read('/api/stuck-orders').expect(200);
  expect(body).toMatchObject({ total: 1, orders: [{ status: 'ON_HOLD' }], next: 'cursor' });
});

it('the page of an order has the statuses, kinds and decisions of all services, and says which it does not know', async () => {
  const { body } = await console.read(`/api/orders/${order.id}`).expect(200);
  expect(body.problems).toEqual([]);
  expect(body.order).toMatchObject({ status: 'ON_HOLD', payment: { status: 'in-review' } });
  const texts = body.timeline.map(({ text }: { text: string }) => text.replace(/, published.*/, ''));
  for (const text of ['The reservation is SPLIT', 'The payment is DISPUTED', 'Event PaymentDisputed'])
    expect(texts).toContain(text);
  expect(texts).toContain('ann decided POSTPONED about PaymentDisputed');
});
