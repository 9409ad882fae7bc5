import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type Clock, install } from '@sinonjs/fake-timers';
import { until } from '../../../../../tests/kit/until.ts';
import { answerReader, answerTimeoutSeconds, brokerSockets } from './broker-socket.ts';

const Connection = createRequire(import.meta.url)('kafkajs/src/network/connection.js');

const frame = (...bytes: number[]) => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length);
  return Buffer.concat([length, Buffer.from(bytes)]);
};

describe('answers', () => {
  const stream = Buffer.concat([frame(1, 2, 3), frame(), frame(4), frame(...Array.from({ length: 300 }, () => 5))]);

  it.each([1, 3, 7, 318])('are whole and in order if they arrive in chunks of %i bytes', (size) => {
    const take = answerReader();
    const taken = Array.from({ length: Math.ceil(stream.length / size) }, (_, n) =>
      take(stream.subarray(n * size, (n + 1) * size)),
    );
    expect(taken.reduce((sum, { count }) => sum + count, 0)).toBe(4);
    expect(Buffer.concat(taken.map(({ answers }) => answers))).toEqual(stream);
    for (const { answers } of taken) {
      let at = 0;
      while (at < answers.length) at += 4 + answers.readInt32BE(at);
      expect(at).toBe(answers.length);
    }
  });

  it('are not copied if a chunk holds only whole answers', () => {
    expect(answerReader()(stream).answers.buffer).toBe(stream.buffer);
  });

  it.each([
    ['HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n')],
    ['a TLS alert', Buffer.from([0x15, 3, 3, 0, 2, 2, 70])],
    ['a negative length', Buffer.from([0xff, 0xff, 0xff, 0xff])],
  ])('are not %s', (_, bytes) => {
    expect(() => answerReader()(bytes)).toThrow('not a Kafka broker');
    expect(() => answerReader()(Buffer.concat([frame(1), bytes]))).toThrow('not a Kafka broker');
  });
});

describe('connection to a broker', () => {
  let server: Server;
  let clients: Socket[];
  let ended: AbortController;

  beforeEach(async () => {
    clients = [];
    ended = new AbortController();
    server = createServer((client) => void clients.push(client.on('error', () => undefined)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  let clock: Clock | undefined;
  afterEach(() => {
    clock?.uninstall();
    ended.abort();
    for (const client of clients) client.destroy();
    server.close();
  });

  async function open() {
    const sockets = brokerSockets(ended.signal);
    const { port } = server.address() as AddressInfo;
    const events: string[] = [];
    const { promise: connected, resolve: onConnect } = Promise.withResolvers<void>();
    const socket = sockets({ host: '127.0.0.1', port, onConnect, ssl: undefined as never });
    socket.on('data', (bytes) => events.push(`data ${bytes.length}`));
    socket.on('end', () => events.push('end'));
    socket.on('error', ({ message }) => events.push(message));
    const [broker] = await Promise.all([once(server, 'connection'), connected]).then(([accepted]) => accepted);
    return { socket, events, broker: broker as Socket };
  }

  it('passes on only whole answers, and nothing of a cut one', async () => {
    const { events, broker } = await open();
    broker.write(Buffer.concat([frame(1, 2), frame(3, 4).subarray(0, 5)]));
    await until('the first answer has come', () => events.length > 0);
    broker.end();
    await until('it has ended', () => events.includes('end'));
    expect(events).toEqual(['data 6', 'end']);
  });

  it('passes on nothing after the client has closed it', async () => {
    const { socket, events, broker } = await open();
    const closed = once(broker, 'close');
    broker.resume();
    socket.end();
    broker.write(frame(1));
    broker.end();
    await closed;
    expect(events).toEqual([]);
  });

  it('closes if a request stays unanswered, with the connections to its broker that were quiet as long, but no others', async () => {
    clock = install({
      now: Date.now(),
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    });
    const [silent, idle, busy] = [await open(), await open(), await open()];
    clock.tick((answerTimeoutSeconds + 2) * 1_000);
    expect([silent.events, idle.events]).toEqual([[], []]);
    for (const { socket } of [silent, busy]) socket.write(Buffer.from('request'));
    clock.tick((answerTimeoutSeconds - 5) * 1_000);
    busy.broker.write(frame(1));
    await once(busy.socket, 'data');
    clock.tick(5_000);
    expect([silent.events, idle.events]).toEqual([[], []]);
    clock.tick(1_000);
    const over = ['The broker does not answer', 'end'];
    expect([silent.events, idle.events, busy.events]).toEqual([over, over, ['data 5']]);
  });

  it('closes with its client, which then opens no other', async () => {
    const { events } = await open();
    ended.abort();
    expect(events).toEqual(['The client was closed', 'end']);
    await expect(open()).rejects.toThrow(/abort/);
  });

  it('fails a login in progress when it breaks (kafkajs waited forever for the answer)', async () => {
    const { port } = server.address() as AddressInfo;
    const logger = { debug() {}, error() {}, namespace: () => logger };
    const limits = { requestTimeout: 10_000, connectionTimeout: 10_000 };
    const socketFactory = brokerSockets(ended.signal);
    const connection = new Connection({ host: '127.0.0.1', port, logger, socketFactory, ...limits });
    const [[broker]] = await Promise.all([once(server, 'connection'), connection.connect()]);
    const login = connection.sendAuthRequest({ request: { encode: async () => Buffer.from('login') }, response: {} });
    const broken = expect(login).rejects.toThrow('Connection closed by the server');
    await once(broker, 'data');
    broker.resetAndDestroy();
    await broken;
  });
});
