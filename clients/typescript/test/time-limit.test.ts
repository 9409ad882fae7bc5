import type { ServerResponse } from 'node:http';
import { type Answer, closeServers, halfAnswered, impatient, order, storeWith, tea } from './_server.ts';

afterEach(closeServers);

const tooLate = { name: 'TimeoutError' };

it.each<Answer>(['silent', halfAnswered('silent')])(
  'an attempt ends when the store falls silent: %s',
  async (silence) => {
    const options = { ...impatient, attemptTimeoutMs: 400 };
    const { store, seen } = await storeWith([silence, { status: 200, body: [] }], options);
    expect(await store.listAccounts()).toEqual([]);
    expect(seen).toHaveLength(2);
  },
);

it('what may happen twice is told', async () => {
  const { store, seen } = await storeWith(['silent'], { attemptTimeoutMs: 200 });
  await expect(store.createProduct({ body: tea })).rejects.toMatchObject({
    ...tooLate,
    message: 'The store did not answer within 0.2 s.',
  });
  expect(seen).toHaveLength(1);
});

it('an order is sent again under its key', async () => {
  const { store, seen } = await storeWith(['silent', { status: 201, body: {} }], {
    ...impatient,
    attemptTimeoutMs: 200,
  });
  await store.placeOrder({ body: order });
  expect(seen[1]?.headers['idempotency-key']).toBe(seen[0]?.headers['idempotency-key']);
});

it('all attempts together end in time', async () => {
  const silence = Array.from({ length: 9 }, () => 'silent' as const);
  const { store, seen } = await storeWith(silence, { ...impatient, attempts: 9, attemptTimeoutMs: 200 });
  const begin = performance.now();
  await expect(store.listAccounts({}, { timeoutMs: 500 })).rejects.toMatchObject(tooLate);
  expect(performance.now() - begin).toBeLessThan(1_500);
  expect(seen.length).toBeGreaterThan(1);
  expect(seen.length).toBeLessThan(5);
});

it('a pause that would not end in time is not begun', async () => {
  const { store } = await storeWith([{ status: 503, headers: { 'retry-after': '2' } }], { timeoutMs: 1_000 });
  const begin = performance.now();
  await expect(store.listAccounts()).rejects.toMatchObject({ status: 503 });
  expect(performance.now() - begin).toBeLessThan(900);
});

it('a caller may wait for ever', async () => {
  const later = (res: ServerResponse) => void setTimeout(() => res.end(), 300);
  const { store } = await storeWith([later], { attempts: 1 });
  await store.checkHealth({}, { attemptTimeoutMs: Number.POSITIVE_INFINITY, timeoutMs: Number.POSITIVE_INFINITY });
});
