import { login } from '../customer.ts';
import type { Measurement } from '../measurement.ts';
import { compareCpu } from '../rates.ts';
import type { Row } from '../report.ts';

/** More than the gateway lets through (contract 2.5). */
const length = 16 * 1024;
const texts = { semicolons: ';', blanks: ' ', names: 'a=__store_jwt_token;' };

/** CPU time of auth for a token check whose cookies are as long as a service reads them, compared with an ordinary one. */
export const hostileCookies: Measurement = {
  name: 'hostile-cookies',
  components: ['auth', 'account'],
  async run({ store, log }) {
    const ordinary = await login(store.url('auth'));
    const check = (cookie: string) => ({
      url: `${store.url('auth')}/check`,
      headers: { cookie },
      pid: store.component('auth').pid,
    });
    const rows: Row[] = [];
    for (const [name, text] of Object.entries(texts)) {
      const hostile = `${text.repeat(length / text.length)};${ordinary}`;
      const { first, second, ratio } = await compareCpu(3_000, check(hostile), check(ordinary), log);
      rows.push({
        name: `Check under hostile cookies (${name}) against an ordinary one`,
        measured: `${(first / 1000).toFixed(2)} against ${(second / 1000).toFixed(2)} CPU ms of auth`,
        result: ratio,
        atMost: 8,
      });
    }
    return rows;
  },
};
