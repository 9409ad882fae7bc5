import { randomUUID } from 'node:crypto';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { beganStream, headersOf, type OpenStream, openStream, startReplica } from './_streams.ts';

const database = useDatabase('order');
let stop: () => Promise<void>;

afterEach(() => stop());

/** A replica that admits a few streams. */
async function start(maxStreams: number, streamsPerAddress = 0): Promise<string> {
  const replica = await startReplica(database.url, {
    maxStreams,
    env: { STREAMS_PER_ADDRESS: String(streamsPerAddress) },
    expects: /A dependency is unavailable/,
  });
  stop = replica.stop;
  return replica.url;
}

/** Streams that are opened one after another. */
async function open(url: string, count: number, accountId: string, address = '192.0.2.1'): Promise<OpenStream[]> {
  const streams: OpenStream[] = [];
  for (let n = 0; n < count; n += 1) streams.push(await beganStream(url, { headers: from(accountId, address) }));
  return streams;
}
const from = (accountId: string, address: string) => ({
  ...headersOf(accountId),
  'x-envoy-external-address': address,
});
const areOver = (streams: OpenStream[]) => streams.map((stream) => stream.isOver());

it('when all are taken, the oldest of the account that has most gives way, and cannot come back', async () => {
  const url = await start(8);
  const [ada, ben, cleo] = [randomUUID(), randomUUID(), randomUUID()];
  const many = await open(url, 5, ada);
  const some = await open(url, 3, ben);
  const few = await open(url, 1, cleo);
  await until('one has ended', () => areOver(many).includes(true));
  expect([areOver(many), areOver(some), areOver(few)]).toEqual([
    [true, false, false, false, false],
    [false, false, false],
    [false],
  ]);
  // In order, not as by a broken connection.
  expect(many[0]?.response.complete).toBe(true);
  expect((await openStream(url, { headers: from(ada, '192.0.2.1') })).status).toBe(503);
  await open(url, 1, cleo);
  await until('another one has ended', () => areOver(many).filter(Boolean).length === 2);
  // A third one of hers would only take the place of a third one.
  expect((await openStream(url, { headers: from(cleo, '192.0.2.1') })).status).toBe(503);
  expect([...areOver(some), ...areOver(few)]).not.toContain(true);
});

it('an address that has its share gets no more, whatever its accounts are', async () => {
  const url = await start(100, 3);
  for (let n = 0; n < 3; n += 1) await open(url, 1, randomUUID(), '2001:db8::1');
  const refused = await openStream(url, { headers: from(randomUUID(), '2001:db8::2') });
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '10']);
  expect((await openStream(url, { headers: from(randomUUID(), '2001:db8:0:1::1') })).status).toBe(200);
});

it('when all are taken, accounts of one address give way together', async () => {
  const url = await start(6, 5);
  const attackers: OpenStream[] = [];
  for (let n = 0; n < 5; n += 1) attackers.push(...(await open(url, 1, randomUUID(), '192.0.2.1')));
  const customers = await open(url, 1, randomUUID(), '192.0.2.2');
  customers.push(...(await open(url, 1, randomUUID(), '192.0.2.3')));
  await until('one has ended', () => areOver(attackers).includes(true));
  expect(areOver([...attackers, ...customers])).toEqual([true, false, false, false, false, false, false]);
});
