import { alternate } from '../alternate.ts';
import { login } from '../customer.ts';
import type { Measurement } from '../measurement.ts';
import { cpuPerThousand } from '../rates.ts';

const amount = 3_000;
/** More than the gateway lets through (contract 2.5). */
const length = 16 * 1024;
const around = (cookie: string, text: string) => `${text.repeat(length / text.length)};${cookie}`;

/** CPU time of auth for a token check whose cookies are as long as a service reads them, compared with an ordinary one. */
export const hostileCookies: Measurement = {
  name: 'hostile-cookies',
  components: ['auth', 'account'],
  async run({ store, log }) {
    const cookie = await login(store.url('auth'));
    const costOf = (header: string) => async () => {
      const request = { url: `${store.url('auth')}/check`, headers: { cookie: header } };
      const [cost = NaN] = await cpuPerThousand(request, amount, [store.component('auth').pid()]);
      return cost / 1000;
    };
    const rows = [];
    for (const [name, text] of Object.entries({ semicolons: ';', blanks: ' ', names: 'a=__store_jwt_token;' })) {
      const hostile = costOf(around(cookie, text));
      const { first, second, ratio } = await alternate({ rounds: 3, warmUp: 1 }, hostile, costOf(cookie));
      const measured = `${first.toFixed(2)} against ${second.toFixed(2)} CPU ms of auth`;
      log(`${name}: ${measured}`);
      rows.push({
        name: `Check under hostile cookies (${name}) against an ordinary one`,
        measured,
        result: ratio,
        atMost: 8,
      });
    }
    return rows;
  },
};
