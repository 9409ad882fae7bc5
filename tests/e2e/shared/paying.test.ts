import { randomUUID } from 'node:crypto';
import { newCustomer, newProduct } from '../../kit/customer.ts';
import { createSend } from '../../kit/http.ts';
import { sharedStore } from '../_shared-store.ts';

// What an order is paid with (contract 4.5), through the gateway. services/order/test/orders/paying.test.ts covers the rest.

const store = sharedStore();
const ada = await newCustomer(createSend(store.gatewayUrl));
const items = [{ productId: await newProduct(ada), quantity: 1 }];

const internal = createSend(store.url('order'));
const authorization = { authorization: `Bearer ${store.credential}` };

it('a token reaches payment, and no answer, log or export', async () => {
  const secret = randomUUID();
  const place = (token: unknown, headers: Record<string, string> = {}) =>
    ada.send('POST', '/orders', { items, payment: { token } }, headers);
  const key = { 'Idempotency-Key': randomUUID() };
  const { body: order } = await place(`pm_${secret}`, key);
  const answers = [
    await place(`pm_${secret}`, key),
    await place(`${secret}`, key),
    await place(`${secret}${'x'.repeat(256)}`),
    await place({ secret }),
    await place([secret]),
    await ada.send('GET', '/orders'),
    await ada.send('GET', `/orders/${order.id}`),
    await ada.send('GET', `/internal/orders/${order.id}/payment-token`),
    await ada.send('GET', `/accounts/${ada.accountId}/export`),
    await internal('GET', `/internal/orders/${order.id}`, undefined, authorization),
    await internal('GET', `/internal/orders/${order.id}/payment-token`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 422, 400, 400, 400, 200, 200, 404, 200, 200, 403]);
  for (const { text } of answers) expect(text).not.toContain(secret);
  const told = await internal('GET', `/internal/orders/${order.id}/payment-token`, undefined, authorization);
  expect(told.body).toEqual({ token: `pm_${secret}` });
  const logs = await store.logs();
  expect(logs).toContain('/orders');
  expect(logs).not.toContain(secret);
});
