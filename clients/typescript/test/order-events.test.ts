import { createStore, type OrderEventsOptions, type Store } from '../src/index.ts';
import { type Answer, collectGarbageSoon, problem, storeWith } from './_server.ts';

const change = (status: string) => ({ orderId: 'a', status, changedAt: '2026-01-31T09:30:02.000Z' });
const event = (id: string, name: string, data: object | string = {}) =>
  `id: ${id}\nevent: ${name}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const streamed =
  (text: string, then: 'end' | 'gone' | 'silent' = 'end'): Answer =>
  (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(text, () => {
      if (then === 'silent') collectGarbageSoon();
      if (then === 'gone') res.destroy();
      if (then === 'end') res.end();
    });
  };
/** The store asks for 2 s, which would be too slow here. */
const soon = 'retry: 100\n\n';
const ended = problem(401, { detail: 'Log in.' });

/** Follows events until the store refuses. */
async function follow(store: Store, options: OrderEventsOptions = {}) {
  const found: string[] = [];
  const states: string[] = [];
  const errors: unknown[] = [];
  const watch = { onState: (state: string) => states.push(state), onError: (error: unknown) => errors.push(error) };
  try {
    for await (const { id, status } of store.orderEvents({ ...watch, ...options })) found.push(`${id} ${status}`);
  } catch (failure) {
    return { found, states, errors, failure };
  }
  throw new Error('The stream of events ended without an error.');
}

it('resumes after the last event when a connection breaks, and ends with the session', async () => {
  const { url, seen, requests } = await storeWith([
    streamed(`${soon}${event('0', 'start')}${event('1', 'order', change('PENDING'))}:\n\nid: 2\nevent: or`),
    streamed(event('2', 'order', change('CONFIRMED')), 'gone'),
    problem(503),
    problem(500),
    streamed(event('3', 'order', change('CANCELLED'))),
    ended,
  ]);
  const { found, failure } = await follow(createStore({ url: `${url}/below/` }), { lastEventId: 'x' });
  expect(failure).toMatchObject({ name: 'StoreProblem', status: 401, message: 'Log in.' });
  expect(found).toEqual(['1 PENDING', '2 CONFIRMED', '3 CANCELLED']);
  expect(seen.map(({ headers }) => headers['last-event-id'])).toEqual(['x', '1', '2', '2', '2', '3']);
  expect(new Set(requests())).toEqual(new Set(['GET /below/orders/events']));
});

it('calls onStart when events start, and when some may be missing', async () => {
  const answers = [streamed(`${soon}${event('0', 'start')}`), streamed(''), streamed(event('1', 'reset')), ended];
  const { store } = await storeWith(answers);
  let starts = 0;
  await follow(store, { onStart: () => (starts += 1) });
  expect(starts).toBe(2);
});

it('reports its state, and why it had to reconnect', async () => {
  const answers = [streamed(`${soon}:\n\n`), problem(503, { detail: 'Away.' }), streamed('', 'gone'), ended];
  const { store } = await storeWith(answers);
  const { states, errors } = await follow(store);
  const opened = ['connecting', 'open', 'waiting'];
  expect(states).toEqual([...opened, 'connecting', 'waiting', ...opened, 'connecting']);
  expect(errors).toEqual([
    expect.objectContaining({ status: 503, message: 'Away.' }),
    expect.objectContaining({ name: 'TypeError' }),
  ]);
});

it('reconnects after the pause that the store asks for', async () => {
  const { store, seen } = await storeWith([streamed('retry: 1500\n\n'), ended]);
  await follow(store);
  const [first = 0, second = 0] = seen.map(({ at }) => at);
  expect(second - first).toBeGreaterThanOrEqual(1490);
});

it('waits longer after each failure, and at least as long as Retry-After says', async () => {
  const answers = [streamed(soon), problem(503), problem(500), problem(429, {}, { 'retry-after': '1' }), ended];
  const { store, seen } = await storeWith(answers);
  await follow(store);
  const pauses = seen.slice(1).map(({ at }, index) => at - (seen[index]?.at ?? 0));
  for (const [index, ms] of [100, 200, 400, 1000].entries()) expect(pauses[index]).toBeGreaterThanOrEqual(ms - 10);
});

test.each<[string, Answer, object]>([
  ['HTML', { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html>' }, { status: 200 }],
  ['404', problem(404), { status: 404 }],
])('gives up after some attempts if the server only ever sends %s', async (_, answer, failure) => {
  const { store, seen } = await storeWith([streamed(soon), ...Array.from({ length: 9 }, () => answer)]);
  const outcome = await follow(store, { attempts: 3 });
  expect(outcome.failure).toMatchObject({ name: 'StoreProblem', ...failure });
  expect(outcome.errors).toHaveLength(2);
  expect(seen).toHaveLength(1 + 3);
});

test.each<[string, Answer, OrderEventsOptions]>([
  ['a stream', streamed(soon, 'silent'), { silentMs: 400 }],
  ['the beginning of a reply', 'silent', { attemptTimeoutMs: 200 }],
])('does not wait forever for %s', async (_, silence, options) => {
  const { store } = await storeWith([silence, ended]);
  const { errors } = await follow(store, options);
  expect(errors).toEqual([expect.objectContaining({ name: 'TimeoutError' })]);
});

it('rejects with an error of the caller, and for an event that it cannot read', async () => {
  const { store, seen } = await storeWith([
    streamed(`${soon}${event('0', 'start')}`, 'silent'),
    streamed(`${soon}${event('1', 'order', '{')}`, 'silent'),
  ]);
  const onStart = () => {
    throw new RangeError('of the caller');
  };
  expect((await follow(store, { onStart })).failure).toBeInstanceOf(RangeError);
  const message = expect.stringContaining('Got { instead of a change of an order.');
  expect((await follow(store)).failure).toMatchObject({ name: 'StoreProblem', message });
  expect(seen).toHaveLength(2);
});

it('closes its connection when the caller leaves or aborts', async () => {
  const closed: (() => void)[] = [];
  const both = Promise.all([0, 1].map(() => new Promise<void>((resolve) => closed.push(resolve))));
  const open: Answer = (res) => {
    res.on('close', () => closed.pop()?.());
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(event('1', 'order', change('PENDING')));
  };
  const { store } = await storeWith([open, open]);
  for await (const { id } of store.orderEvents()) {
    expect(id).toBe('1');
    break;
  }
  const controller = new AbortController();
  const events = store.orderEvents({ signal: controller.signal });
  await events.next();
  setTimeout(() => controller.abort(), 50);
  await expect(events.next()).rejects.toThrow(/abort/i);
  await both;
});
