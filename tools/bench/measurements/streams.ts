import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { UnsecuredJWT } from 'jose';
import pMap from 'p-map';
import { quantile } from 'simple-statistics';
import { queryOnce } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { figure } from '../figures.ts';
import { type Measurement, say } from '../measurement.ts';
import { cpuDuring, residentMib } from '../process-usage.ts';

/** The maximum that a process admits (contract 2.5). Each stream has its own account and session. */
const streams = 5_000;
const quietSeconds = 20;
const changes = 200;

/** Measures what open streams of orders cost a replica, and how soon a change arrives. */
export const orderStreams: Measurement = {
  name: 'streams',
  measuresMemory: true,
  components: ['auth', 'account', 'product', 'order'],
  async run(store) {
    const pid = store.component('order').pid();
    const before = await residentMib(pid);
    const arrived = new Map<string, number>();
    const accounts = Array.from({ length: streams }, () => crypto.randomUUID());
    const agent = new Agent({ keepAlive: false });
    say(`opening ${streams} streams`);
    await pMap(accounts, (id) => openStream(store.url('order'), id, agent, arrived), { concurrency: 100 });
    try {
      say(`${quietSeconds} s in which nothing changes`);
      const used = new Map(await cpuDuring(store, () => sleep(quietSeconds * 1000)));
      const percent = (name: string) => (used.get(name) ?? NaN) / (quietSeconds * 10);
      say(`${changes} orders`);
      const delays: number[] = [];
      for (const account of accounts.slice(0, changes))
        delays.push(await delayOf(account, store.databaseUrl('order'), arrived));
      const { now, peak, own } = await residentMib(pid);
      const memory = `before ${before.own.toFixed()} MiB; with Node's program ${now.toFixed()} MiB, peak ${peak.toFixed()} MiB`;
      const others = `p50 ${quantile(delays, 0.5).toFixed()} ms, longest ${Math.max(...delays).toFixed()} ms`;
      return [
        figure('streamMemory', own, memory, streams),
        figure('streamCpu', percent('order'), `auth ${percent('auth').toFixed(1)} %`, streams),
        figure('streamDelay', quantile(delays, 0.95), others),
      ];
    } finally {
      agent.destroy();
    }
  },
};

/** Inserts an order. @returns the time until it arrives at the stream of its account, in ms */
async function delayOf(accountId: string, database: string, arrived: Map<string, number>): Promise<number> {
  const id = crypto.randomUUID();
  const [row] = await queryOnce<{ at: number }>(
    database,
    `insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
     values ('${id}', '${accountId}', 'PENDING', 1, 'USD', now(), now())
     returning (extract(epoch from clock_timestamp()) * 1000)::float8 as at`,
  );
  await until('an order arrives at its stream', () => arrived.has(id), { timeoutMs: 10_000, intervalMs: 1 });
  return (arrived.get(id) ?? NaN) - (row?.at ?? NaN);
}

async function openStream(url: string, accountId: string, agent: Agent, arrived: Map<string, number>): Promise<void> {
  const claims = { jti: crypto.randomUUID(), sub: accountId };
  const token = new UnsecuredJWT(claims).setIssuedAt().setExpirationTime('1h').encode();
  const headers = { 'id-account': accountId, authorization: `Bearer ${token}` };
  const sent = request(`${url}/orders/events`, { agent, headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`A stream was answered ${response.statusCode}`);
  response.setEncoding('utf8').on('data', (text: string) => {
    for (const [, id] of text.matchAll(/"orderId":"([^"]+)"/g)) arrived.set(id ?? '', Date.now());
  });
}
