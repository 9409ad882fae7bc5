import type { ServerResponse } from 'node:http';
import { type Answer, halfAnswered, id, impatient, order, problem, storeWith, tea } from './_server.ts';

const inUse = (headers = {}) => problem(409, { type: 'urn:problem:store:idempotency-key-in-use' }, headers);

describe('repeats', () => {
  it('an order under the same key until it gets an answer', async () => {
    const answers: Answer[] = ['silent', problem(503), { status: 201, body: { id } }];
    const { store, seen } = await storeWith(answers, { ...impatient, attemptTimeoutMs: 200 });
    expect(await store.placeOrder({ body: order })).toEqual({ id });
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[\da-f]{32}$/);
    expect(seen.map(({ body }) => JSON.parse(body))).toEqual([order, order, order]);
  });

  it('an order whose first attempt is still being answered', async () => {
    const { store, seen } = await storeWith([inUse({ 'retry-after': '0' }), { status: 201, body: { id } }]);
    expect(await store.placeOrder({ body: order })).toEqual({ id });
    expect(seen).toHaveLength(2);
  });

  it('any request that was refused by 429', async () => {
    const { store } = await storeWith([problem(429), { status: 201, body: tea }], impatient);
    expect(await store.createProduct({ body: tea })).toEqual(tea);
  });

  it.each([502, 503, 504])('a request that changes nothing, after %i', async (status) => {
    const { store, seen } = await storeWith([problem(status), { status: 200, body: [] }], impatient);
    expect(await store.listAccounts()).toEqual([]);
    expect(seen).toHaveLength(2);
  });

  it('a request whose reply breaks off', async () => {
    const { store } = await storeWith([halfAnswered('gone'), { status: 200, body: [] }], impatient);
    expect(await store.listAccounts()).toEqual([]);
  });
});

describe('does not repeat', () => {
  it.each<[string, Answer]>([
    ['a broken connection', 'gone'],
    ['503', problem(503)],
    ['409 without Retry-After', inUse()],
  ])('a change that could happen twice, after %s', async (_, answer) => {
    const { store, seen } = await storeWith([answer, { status: 201, body: tea }], impatient);
    // Only orders have keys.
    await expect(store.createProduct({ body: tea }, { idempotencyKey: 'x' })).rejects.toThrow();
    expect(seen).toHaveLength(1);
  });

  it.each([400, 401, 403, 404, 409, 412, 413, 415, 422, 500])('a request that was refused by %i', async (status) => {
    const { store, seen } = await storeWith([problem(status), { status: 200, body: [] }], impatient);
    await expect(store.listAccounts()).rejects.toMatchObject({ status });
    expect(seen).toHaveLength(1);
  });

  it('more often than createStore or the call says', async () => {
    const unavailable = Array.from({ length: 5 }, () => problem(503));
    const { store, seen } = await storeWith(unavailable, { ...impatient, attempts: 2 });
    await expect(store.listAccounts()).rejects.toMatchObject({ status: 503 });
    expect(seen).toHaveLength(2);
    await expect(store.listAccounts({}, { attempts: 1 })).rejects.toMatchObject({ status: 503 });
    expect(seen).toHaveLength(3);
  });
});

describe('a 404 to a repeated deletion', () => {
  it('is a failure if no earlier attempt can have deleted anything', async () => {
    const { store } = await storeWith([problem(404), problem(429), problem(404)], impatient);
    await expect(store.deleteOrder({ path: { id } })).rejects.toMatchObject({ status: 404 });
    await expect(store.deleteOrder({ path: { id } })).rejects.toMatchObject({ status: 404 });
  });
});

describe('the key of an order', () => {
  it("is the caller's", async () => {
    const placed = { status: 201, body: {} };
    const { store, seen } = await storeWith([placed, placed]);
    await store.placeOrder({ body: order }, { idempotencyKey: 'mine' });
    await store.placeOrder({ body: order, header: { 'idempotency-key': 'mine, too' } });
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine, too']);
  });

  it('is made even without crypto.randomUUID, as in a page over plain HTTP', async () => {
    const { randomUUID } = crypto;
    Object.defineProperty(crypto, 'randomUUID', { value: undefined, configurable: true, writable: true });
    try {
      const { store, seen } = await storeWith([{ status: 201, body: {} }]);
      await store.placeOrder({ body: order });
      expect(seen[0]?.headers['idempotency-key']).toMatch(/^[\da-f]{32}$/);
    } finally {
      Object.defineProperty(crypto, 'randomUUID', { value: randomUUID, configurable: true, writable: true });
    }
  });
});

describe('the time between attempts', () => {
  it.each<Record<string, string>>([
    { 'retry-after': '1' },
    // relative to the server's clock
    { date: 'Sun, 06 Nov 1994 08:49:36 GMT', 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' },
  ])('is the time that the store asks for: %j', async (headers) => {
    const { store, seen } = await storeWith([problem(503, {}, headers), { status: 200, body: [] }]);
    await store.listAccounts();
    const [first = 0, second = 0] = seen.map(({ at }) => at);
    expect(second - first).toBeGreaterThanOrEqual(990);
  });

  it.each<[string, () => string]>([
    ['seconds', () => '900'],
    ['a date', () => new Date(Date.now() + 900_000).toUTCString()],
  ])('never exceeds the limit: %s', async (_, later) => {
    const { store, seen } = await storeWith([problem(429, {}, { 'retry-after': later() })]);
    const failure = await store.listAccounts().catch((error) => error);
    expect(failure.status).toBe(429);
    expect(failure.retryAfterMs / 1000).toBeCloseTo(900, -1);
    expect(seen).toHaveLength(1);
  });

  it.each(['soon', '-1', '1.5'])('is a back-off if the store asks for nonsense: %s', async (nonsense) => {
    const failed = problem(503, {}, { 'retry-after': nonsense });
    const { store } = await storeWith([failed, { status: 200, body: [] }], impatient);
    expect(await store.listAccounts()).toEqual([]);
  });

  it('ends when the caller gives up', async () => {
    const { store, seen } = await storeWith([problem(503, {}, { 'retry-after': '5' })]);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 200);
    await expect(store.listAccounts({}, { signal: controller.signal })).rejects.toThrow(/abort/i);
    await expect(store.listAccounts({}, { signal: controller.signal })).rejects.toThrow(/abort/i);
    expect(seen).toHaveLength(1);
  });
});

describe('the time for an answer', () => {
  it.each<Answer>(['silent', halfAnswered('silent')])(
    'an attempt ends when the store falls silent: %s',
    async (silence) => {
      const options = { ...impatient, attemptTimeoutMs: 400 };
      const { store, seen } = await storeWith([silence, { status: 200, body: [] }], options);
      expect(await store.listAccounts()).toEqual([]);
      expect(seen).toHaveLength(2);
    },
  );

  it('a request that is never repeated ends', async () => {
    const { store, seen } = await storeWith(['silent'], { attemptTimeoutMs: 200 });
    await expect(store.logIn({ body: { email: 'a@example.com', password: 'b' } })).rejects.toMatchObject({
      name: 'TimeoutError',
      message: 'The store did not answer within 0.2 s.',
    });
    expect(seen).toHaveLength(1);
  });

  it('all attempts together end in time', async () => {
    const silence = Array.from({ length: 9 }, () => 'silent' as const);
    const { store, seen } = await storeWith(silence, { ...impatient, attempts: 9, attemptTimeoutMs: 200 });
    const begin = performance.now();
    await expect(store.listAccounts({}, { timeoutMs: 1_000 })).rejects.toMatchObject({ name: 'TimeoutError' });
    // All nine would take 1.8 s at least.
    expect(performance.now() - begin).toBeLessThan(1_800);
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.length).toBeLessThan(9);
  });

  it('fails at once if the next pause would not end in time', async () => {
    const { store } = await storeWith([{ status: 503, headers: { 'retry-after': '2' } }], { timeoutMs: 1_000 });
    const begin = performance.now();
    await expect(store.listAccounts()).rejects.toMatchObject({ status: 503 });
    expect(performance.now() - begin).toBeLessThan(900);
  });

  it('is unlimited if the caller says so', async () => {
    const later = (res: ServerResponse) => void setTimeout(() => res.end(), 300);
    const { store } = await storeWith([later], { attempts: 1 });
    await store.checkHealth({}, { attemptTimeoutMs: Number.POSITIVE_INFINITY, timeoutMs: Number.POSITIVE_INFINITY });
  });
});
