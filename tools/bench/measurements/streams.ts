import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { UnsecuredJWT } from 'jose';
import type pg from 'pg';
import { quantile } from 'simple-statistics';
import { withDatabase } from '../database.ts';
import type { Measurement } from '../measurement.ts';
import { cpuOf, residentMib } from '../process-usage.ts';

/** As many as a process admits (contract 2.5), each of an account and session of its own. */
const streams = 5_000;
const atATime = 100;
const quietSeconds = 20;
const changes = 200;

/** Measures the cost of open streams of orders for a replica, and how soon a change arrives. */
export const orderStreams: Measurement = {
  name: 'streams',
  measuresMemory: true,
  components: ['auth', 'account', 'product', 'order'],
  async run({ store, log }) {
    const pid = store.component('order').pid();
    const before = await residentMib(pid);
    const arrived = new Map<string, number>();
    const accounts = Array.from({ length: streams }, () => crypto.randomUUID());
    const agent = new Agent({ keepAlive: false });
    log(`opening ${streams} streams`);
    for (let from = 0; from < streams; from += atATime) {
      const some = accounts.slice(from, from + atATime);
      await Promise.all(some.map((accountId) => openStream(store.url('order'), accountId, agent, arrived)));
    }
    try {
      log(`${quietSeconds} s in which nothing changes`);
      const quiet = await cpuOf(store);
      await sleep(quietSeconds * 1000);
      const afterwards = await cpuOf(store);
      const percent = (name: string) =>
        ((afterwards.get(name) ?? NaN) - (quiet.get(name) ?? NaN)) / (quietSeconds * 10);

      log(`${changes} orders`);
      const changed = accounts.slice(0, changes);
      const delays = await withDatabase(store.databaseUrl('order'), (database) => delaysOf(changed, database, arrived));
      const { now, peak, own } = await residentMib(pid);
      return [
        {
          name: `Memory of order of its own with ${streams} open streams`,
          measured: `before ${before.own.toFixed()} MiB; with Node's program ${now.toFixed()} MiB, peak ${peak.toFixed()} MiB`,
          result: own,
          unit: 'MiB',
          atMost: 200,
        },
        {
          name: `${streams} streams without a change, share of a core`,
          measured: `auth ${percent('auth').toFixed(1)} %`,
          result: percent('order'),
          unit: '%',
          atMost: 15,
        },
        {
          name: 'From the commit of a change to its event, p95',
          measured: `p50 ${quantile(delays, 0.5).toFixed()} ms, longest ${Math.max(...delays).toFixed()} ms`,
          result: quantile(delays, 0.95),
          unit: 'ms',
          atMost: 500,
        },
      ];
    } finally {
      agent.destroy();
    }
  },
};

/** Inserts an order for each account. @returns the times until each arrived at its stream, in ms */
async function delaysOf(accounts: string[], database: pg.Client, arrived: Map<string, number>): Promise<number[]> {
  const delays: number[] = [];
  for (const accountId of accounts) {
    const id = crypto.randomUUID();
    await database.query(
      `insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
       values ($1, $2, 'PENDING', 1, 'USD', now(), now())`,
      [id, accountId],
    );
    const placedAt = performance.now();
    while (!arrived.has(id)) await sleep(1);
    delays.push((arrived.get(id) ?? NaN) - placedAt);
  }
  return delays;
}

/** Notes when each order arrives at the stream. */
async function openStream(url: string, accountId: string, agent: Agent, arrived: Map<string, number>): Promise<void> {
  const token = new UnsecuredJWT()
    .setJti(crypto.randomUUID())
    .setSubject(accountId)
    .setIssuedAt()
    .setExpirationTime('1h')
    .encode();
  const headers = { 'id-account': accountId, authorization: `Bearer ${token}` };
  const sent = request(`${url}/orders/events`, { agent, headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`A stream was answered ${response.statusCode}`);
  response.setEncoding('utf8').on('data', (text: string) => {
    for (const [, id] of text.matchAll(/"orderId":"([^"]+)"/g)) arrived.set(id ?? '', performance.now());
  });
}
