import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import { describeWithProc } from '../../../../tests/kit/linux.ts';
import { listen } from '../../../../tests/kit/listen.ts';
import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { useServices } from '../../../../tests/kit/service-process.ts';
import { orderQuery } from '../../src/schemas.ts';
import { alice, bob, tea, testApp } from '../_app.ts';

const startService = useServices();
const database = useDatabase('order');

async function start(env: Record<string, string> = {}) {
  const nowhere = 'http://127.0.0.1:1';
  const urls = { DATABASE_URL: database.url, AUTH_URL: nowhere, PRODUCT_URL: nowhere };
  const order = await startService('services/order/src/main.ts', { ...urls, ...env });
  await order.ready();
  return order;
}

/** An order of a new account. Most of it is ignored text, with a character that makes V8 store two bytes per character. */
function paddedOrder(): string {
  const body = `{"items":[{"productId":"${tea}","quantity":1}],"note":"€${'x'.repeat(64_000)}"}`;
  const head = [
    'POST /orders HTTP/1.1',
    'Host: order',
    'Connection: close',
    `id-account: ${randomUUID()}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

describeWithProc('under load, the order service', () => {
  it('uses far less memory than a pod has, with 1,000 orders of 64 KiB while the product service hangs', async () => {
    const hanging = createServer((socket) => void socket.resume().on('error', () => undefined));
    const order = await start({ PRODUCT_URL: `http://127.0.0.1:${await listen(hanging)}` });
    /** The peak memory of the process so far, in MiB. */
    async function peakMib(): Promise<number> {
      const status = await readFile(`/proc/${order.child.pid}/status`, 'utf8');
      return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
    }
    async function connected(): Promise<Socket> {
      const socket = connect(Number(new URL(order.url).port), '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    }
    const before = await peakMib();
    const sockets = await Promise.all(Array.from({ length: 1_000 }, connected));
    // Stopped until all are sent. Otherwise a busy machine would answer the first before the last has arrived.
    order.child.kill('SIGSTOP');
    await Promise.all(sockets.map((socket) => new Promise((sent) => void socket.write(paddedOrder(), sent))));
    order.child.kill('SIGCONT');
    const answers = await Promise.all(sockets.map(text));
    const peak = await peakMib();
    await order.end('SIGKILL');
    hanging.close();

    const count = (...words: string[]) => answers.filter((text) => words.every((word) => text.includes(word))).length;
    expect(count('HTTP/1.1 503', 'Retry-After: 1')).toBe(1_000);
    expect(count('product service')).toBeGreaterThanOrEqual(500);
    expect(count('urn:problem:store:overloaded')).toBe(1_000 - count('product service'));
    const chart = new URL('../../../../charts/store/charts/service/values.yaml', import.meta.url);
    expect(peak).toBeLessThan(Number.parseInt(parse(await readFile(chart, 'utf8')).resources.limits.memory, 10));
    // The process keeps nothing that it received: it has grown by less than was sent to it.
    expect(peak - before).toBeLessThan((1_000 * paddedOrder().length) / 2 ** 20);
  });

  it('spends little time of the event loop, which all accounts share, on a page of 100 orders of 100 lines', async () => {
    await queryOnce(
      database.url,
      `with placed as (
         insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
         select gen_random_uuid(), account, 'PENDING', 1250, 'USD', timestamptz '2026-01-01' + n * interval '1 s', now()
         from generate_series(1, 100) as n, unnest('{${alice},${bob}}'::uuid[]) as account
         returning id
       )
       insert into order_items (order_id, position, product_id, quantity, unit_price)
       select id, position, gen_random_uuid(), 1, 12.5 from placed, generate_series(1, 100) as position`,
    );
    await queryOnce(database.url, 'vacuum (analyze) orders, order_items');
    const { child, url } = await start({ APP_PROFILE: 'prod', LOG_LEVEL: 'warn' });
    /** CPU time of the event loop's thread, in milliseconds. */
    async function eventLoopMs(): Promise<number> {
      const [nanoseconds] = (await readFile(`/proc/${child.pid}/task/${child.pid}/schedstat`, 'utf8')).split(' ');
      return Number(nanoseconds) / 1e6;
    }
    const readPages = async () => {
      for (let n = 0; n < 10; n += 1) {
        const response = await fetch(`${url}/orders?size=100`, { headers: { 'id-account': alice } });
        const { content } = (await response.json()) as { content: { items: object[] }[] };
        expect([content.length, content[99]?.items.length]).toEqual([100, 100]);
      }
    };
    await readPages(); // so that V8 has compiled hot code
    const before = await eventLoopMs();
    await readPages();
    // Several times the real time, and a third of the time when the service made the JSON itself (123 ms).
    expect(((await eventLoopMs()) - before) / 10).toBeLessThan(40);
  });
});

it('an account that requests many pages at once does not delay the page of another account', async () => {
  const { lists } = database.closeLater(testApp(database.url));
  const read: string[] = [];
  const readPage = async (account: string) => {
    await lists.page(account, orderQuery.parse({ size: '10' }), new Date());
    read.push(account);
  };
  // In one tick, so that nothing is read before all pages are requested. On a busy machine some of alice's wait for too long.
  const ofAlice = Array.from({ length: 200 }, () => readPage(alice).catch(() => undefined));
  await Promise.all([...ofAlice, readPage(bob)]);
  // After five that are read at once, one that waits, and pages that overtake it: two dozen on a busy machine, never a third of all.
  expect(read.indexOf(bob)).toBeLessThan(66);
});
