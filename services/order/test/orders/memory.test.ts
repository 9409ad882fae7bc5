import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { parse } from 'yaml';
import { testWithProc } from '../../../../tests/kit/linux.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/kit/postgres/database.ts';
import { startService } from '../../../../tests/kit/service-process.ts';
import { tea } from '../_app.ts';

let database: TestDatabase;
let hanging: Server;
let order: Awaited<ReturnType<typeof startService>>;

beforeEach(async () => {
  database = await createTestDatabase('order');
  hanging = createServer((socket) => void socket.resume().on('error', () => undefined));
  await new Promise<void>((resolve) => void hanging.listen(0, '127.0.0.1', resolve));
  order = await startService('services/order/src/main.ts', {
    DATABASE_URL: database.url,
    AUTH_URL: 'http://127.0.0.1:1',
    PRODUCT_URL: `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`,
  });
  await order.logs('"Ready"');
});

afterEach(async () => {
  await order.end('SIGKILL');
  await new Promise((resolve) => hanging.close(resolve));
  await database.drop();
});

/** An order of 64 KiB of an account of its own: most of it a text that nobody reads, with a character that makes V8 store two bytes for each. */
function paddedOrder(): Buffer {
  const before = `{"items":[{"productId":"${tea}","quantity":1}],"note":"€`;
  const length = 64 * 1024;
  const body = Buffer.from(`${before}${'x'.repeat(length - Buffer.byteLength(before) - 2)}"}`);
  const head = [
    'POST /orders HTTP/1.1',
    'Host: order',
    `id-account: ${randomUUID()}`,
    'Content-Type: application/json',
  ];
  const lines = [...head, `Content-Length: ${body.length}`, '', ''];
  return Buffer.concat([Buffer.from(lines.join('\r\n')), body]);
}

/** The largest memory that the process has had so far, in MiB. */
async function peakMib(): Promise<number> {
  const status = await readFile(`/proc/${order.child.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

async function podLimitMib(): Promise<number> {
  const values = parse(
    await readFile(new URL('../../../../charts/store/charts/service/values.yaml', import.meta.url), 'utf8'),
  );
  return Number(/^(\d+)Mi$/.exec(values.resources.limits.memory)?.[1]);
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

testWithProc(
  '1,000 orders of 64 KiB while the product service hangs stay far below the memory of a pod; the surplus is 503',
  async () => {
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
  },
);
