import { gzipSync } from 'node:zlib';
import { quantile } from 'simple-statistics';
import { alternate } from '../alternate.ts';
import { login } from '../customer.ts';
import { atRate, nowMs, warmUp } from '../load.ts';
import type { Measurement } from '../measurement.ts';
import { cpuMs } from '../process-usage.ts';

const checksPerSecond = 100;
/** The rate at which the gateway lets one address send POST /auth/login (contract 2.5). */
const attacksPerSecond = 20;
const seconds = 8;

/** A number that a double cannot hold takes a slow way where decimals are read. */
const number = '0.1234567890123456789';
const json = { 'content-type': 'application/json' };
const compressed = new Uint8Array(gzipSync(`[${number}${' '.repeat(2 ** 20)}]`));
const attacks: ((n: number) => { headers: Record<string, string>; body: string | Uint8Array<ArrayBuffer> })[] = [
  // 1 KiB that would inflate to 1 MiB
  () => ({ headers: { ...json, 'content-encoding': 'gzip' }, body: compressed }),
  () => ({ headers: json, body: `{"email":[${Array(370).fill(number).join()}]}` }),
  () => ({ headers: json, body: `{"email":${'['.repeat(4000)}${']'.repeat(4000)}}` }),
  // Each at another account, as the guesses at one are limited (contract 3.8)
  (n) => ({ headers: json, body: `{"email":"nobody-${n}@example.com","password":"a wrong password"}` }),
];

/** Measures if hostile bodies and wrong passwords, at the rate limit of an address, delay everybody's token checks. */
export const attack: Measurement = {
  name: 'attack',
  components: ['auth', 'account'],
  async run({ store, log }) {
    const auth = store.url('auth');
    const cookie = await login(auth);
    const check = async () => {
      const startedAt = nowMs();
      const response = await fetch(`${auth}/check`, { headers: { cookie } });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`GET /check returned ${response.status} instead of 200.`);
      return nowMs() - startedAt;
    };
    let next = 0;
    const strike = async () => {
      next += 1;
      const { headers, body } = attacks[next % attacks.length]?.(next) ?? {};
      const response = await fetch(`${auth}/auth/login`, { method: 'POST', headers, body });
      await response.arrayBuffer();
      if (![400, 401, 415].includes(response.status)) throw new Error(`An attack returned ${response.status}.`);
    };
    const p99 = async () => quantile(await atRate(checksPerSecond, seconds, check), 0.99);
    const p99UnderAttack = async () => (await Promise.all([p99(), atRate(attacksPerSecond, seconds, strike)]))[0];

    await warmUp(check);
    await warmUp(strike);
    const before = await cpuMs(store.component('auth').pid());
    await atRate(attacksPerSecond, seconds, strike);
    const cost = ((await cpuMs(store.component('auth').pid())) - before) / (attacksPerSecond * seconds);
    log(`${cost.toFixed(1)} CPU ms of auth for a hostile body`);
    const { first, second, ratio } = await alternate({ rounds: 4, warmUp: 1 }, p99UnderAttack, p99);
    const load = `${attacksPerSecond} of them and ${checksPerSecond} checks per second`;
    return [
      {
        name: 'CPU of auth for a hostile body of POST /auth/login',
        measured: 'compressed, full of numbers, deep, or with a wrong password',
        ...{ result: cost, unit: 'ms', atMost: 5 },
      },
      {
        name: 'Token check among hostile bodies against without, p99',
        measured: `${first.toFixed(1)} against ${second.toFixed(1)} ms at ${load}`,
        ...{ result: ratio, atMost: 3 },
      },
    ];
  },
};
