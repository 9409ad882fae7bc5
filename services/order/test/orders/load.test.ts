import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { parse } from 'yaml';
import { describeWithProc } from '../../../../tests/kit/linux.ts';
import { queryOnce, useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { startService } from '../../../../tests/kit/service-process.ts';
import { orderQuery } from '../../src/schemas.ts';
import { alice, bob, tea, testApp } from '../_app.ts';

const database = useDatabase('order');
const nowhere = 'http://127.0.0.1:1';
let order: Awaited<ReturnType<typeof startService>>;

async function start(env: Record<string, string> = {}): Promise<void> {
  const urls = { DATABASE_URL: database.url, AUTH_URL: nowhere, PRODUCT_URL: nowhere };
  order = await startService('services/order/src/main.ts', { ...urls, ...env });
  await order.ready();
}
const stop = () => order.end('SIGKILL');

describeWithProc('1,000 orders of 64 KiB while the product service hangs', () => {
  let hanging: Server;

  beforeAll(async () => {
    hanging = createServer((socket) => void socket.resume().on('error', () => undefined));
    await once(hanging.listen(0, '127.0.0.1'), 'listening');
    await start({ PRODUCT_URL: `http://127.0.0.1:${(hanging.address() as AddressInfo).port}` });
  });
  afterAll(async () => {
    await stop();
    await new Promise((resolve) => hanging.close(resolve));
  });

  /** An order of an account of its own: most of it a text that nobody reads, with a character that makes V8 store two bytes for each. */
  function paddedOrder(): Buffer {
    const before = `{"items":[{"productId":"${tea}","quantity":1}],"note":"€`;
    const length = 64 * 1024;
    const body = Buffer.from(`${before}${'x'.repeat(length - Buffer.byteLength(before) - 2)}"}`);
    const head = [
      'POST /orders HTTP/1.1',
      'Host: order',
      `id-account: ${randomUUID()}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
  }

  /** The largest memory that the process has had so far, in MiB. */
  async function peakMib(): Promise<number> {
    const status = await readFile(`/proc/${order.child.pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  }

  async function podLimitMib(): Promise<number> {
    const chart = new URL('../../../../charts/store/charts/service/values.yaml', import.meta.url);
    return Number(/^(\d+)Mi$/.exec(parse(await readFile(chart, 'utf8')).resources.limits.memory)?.[1]);
  }

  async function connected(): Promise<Socket> {
    const socket = connect(Number(new URL(order.url).port), '127.0.0.1').setEncoding('utf8');
    await once(socket, 'connect');
    return socket;
  }

  /** The next answer on a connection, which is problem details. */
  function answerOn(socket: Socket): Promise<string> {
    return new Promise((resolve, reject) => {
      let answer = '';
      socket.once('error', reject).on('data', (text) => {
        answer += text;
        if (!answer.endsWith('}')) return;
        socket.destroy();
        resolve(answer);
      });
    });
  }

  it('stay far below the memory of a pod; the surplus is 503', async () => {
    const bytes = paddedOrder().length;
    const before = await peakMib();
    const sockets = await Promise.all(Array.from({ length: 1_000 }, connected));
    // Stopped until all are sent: on a busy machine the first would otherwise be answered before the last has arrived.
    order.child.kill('SIGSTOP');
    await Promise.all(sockets.map((socket) => new Promise((sent) => void socket.write(paddedOrder(), sent))));
    order.child.kill('SIGCONT');
    const answers = await Promise.all(sockets.map(answerOn));
    const grown = (await peakMib()) - before;
    const count = (...words: string[]) => answers.filter((text) => words.every((word) => text.includes(word))).length;

    expect(count('HTTP/1.1 503', 'Retry-After: 1')).toBe(1_000);
    expect(count('product service')).toBeGreaterThanOrEqual(500);
    expect(count('urn:problem:store:overloaded')).toBeGreaterThan(0);
    expect(count('product service') + count('overloaded')).toBe(1_000);
    expect(before + grown).toBeLessThan(await podLimitMib());
    // Nothing that was received is kept: the process has grown by less than was sent to it.
    expect(grown).toBeLessThan((1_000 * bytes) / 2 ** 20);
  });
});

describeWithProc('a page of 100 orders of 100 lines', () => {
  beforeAll(async () => {
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
    await start({ APP_PROFILE: 'prod', LOG_LEVEL: 'warn' });
  });
  afterAll(stop);

  const page = () => fetch(`${order.url}/orders?size=100`, { headers: { 'id-account': alice } });

  /** CPU of the thread that has the event loop, in milliseconds. */
  async function eventLoopMs(): Promise<number> {
    const { pid } = order.child;
    const [nanoseconds] = (await readFile(`/proc/${pid}/task/${pid}/schedstat`, 'utf8')).split(' ');
    return Number(nanoseconds) / 1e6;
  }

  const pages = 10;
  /** Several times what it takes, and a third of what it took when the service made the JSON itself (123 ms). */
  const maxMs = 40;

  it('takes little of the event loop, which all accounts share', async () => {
    // Until V8 has compiled what is hot.
    for (let n = 0; n < pages; n += 1) await (await page()).arrayBuffer();
    const before = await eventLoopMs();
    for (let n = 0; n < pages; n += 1) {
      const { content } = (await (await page()).json()) as { content: { items: object[] }[] };
      expect([content.length, content[99]?.items.length]).toEqual([100, 100]);
    }
    expect(((await eventLoopMs()) - before) / pages).toBeLessThan(maxMs);
  });
});

describe('an account that asks for many pages at once', () => {
  it('does not keep the page of another one waiting', async () => {
    const { lists, close } = testApp(database.url);
    const read: string[] = [];
    const readPage = async (account: string) => {
      await lists.page(account, orderQuery.parse({ size: '10' }), new Date());
      read.push(account);
    };
    // In one tick, so that nothing is read before all have been asked for.
    await Promise.all([...Array.from({ length: 60 }, () => readPage(alice)), readPage(bob)]);
    await close();
    // After five that are read at once, one that waits, and those that overtake it.
    expect(read.indexOf(bob)).toBeLessThan(20);
  });
});
