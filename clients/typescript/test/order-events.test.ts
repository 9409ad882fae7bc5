import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createStore } from '../src/index.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Answer = (res: ServerResponse) => void;

/** A server that answers each connection in its turn. */
async function storeWith(...answers: Answer[]) {
  const seen: IncomingMessage[] = [];
  const server = createServer((req, res) => {
    seen.push(req);
    const answer = answers.shift() ?? refused(401);
    answer(res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { store: createStore({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/below/` }), seen };
}

const refused =
  (status: number): Answer =>
  (res) => {
    res.writeHead(status, { 'content-type': 'application/problem+json' });
    res.end(JSON.stringify({ status, detail: 'No.' }));
  };
const change = (status: string) => ({ orderId: 'a', status, changedAt: '2026-01-31T09:30:02.000Z' });
const event = (id: string, name: string, data: object = {}) =>
  `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const streamed =
  (text: string, after: Answer = (res) => res.end()): Answer =>
  (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(text, () => after(res));
  };

test('goes on after breaks behind what it has, and ends with the session', async () => {
  const { store, seen } = await storeWith(
    streamed(`retry: 2000\n${event('0', 'start')}${event('1', 'order', change('PENDING'))}:\n\nid: 2\nevent: or`),
    streamed(event('2', 'order', change('CONFIRMED')), (res) => res.destroy()),
    refused(503),
    refused(500),
    streamed(event('3', 'order', change('CANCELLED'))),
  );
  const found: string[] = [];
  const follow = async () => {
    for await (const { id, status } of store.orderEvents({ lastEventId: 'x' })) found.push(`${id} ${status}`);
  };
  await expect(follow()).rejects.toMatchObject({ name: 'StoreProblem', status: 401, message: 'No.' });
  expect(found).toEqual(['1 PENDING', '2 CONFIRMED', '3 CANCELLED']);
  expect(seen.map(({ headers }) => headers['last-event-id'])).toEqual(['x', '1', '2', '2', '2', '3']);
  expect(new Set(seen.map(({ url }) => url))).toEqual(new Set(['/below/orders/events']));
}, 30_000);

test('tells when events begin, and when some may be missing', async () => {
  const { store } = await storeWith(streamed(event('0', 'start')), streamed(''), streamed(event('1', 'reset')));
  let starts = 0;
  await expect(store.orderEvents({ onStart: () => (starts += 1) }).next()).rejects.toMatchObject({ status: 401 });
  expect(starts).toBe(2);
});

test('closes its connection when the caller leaves or aborts', async () => {
  const open: Answer = () => undefined;
  const { store } = await storeWith(
    streamed(event('1', 'order', change('PENDING')), open),
    streamed(event('1', 'order', change('PENDING')), open),
  );
  for await (const { id } of store.orderEvents()) {
    expect(id).toBe('1');
    break;
  }
  const controller = new AbortController();
  const events = store.orderEvents({ signal: controller.signal });
  await events.next();
  setTimeout(() => controller.abort(), 50);
  await expect(events.next()).rejects.toThrow(/abort/i);
});
