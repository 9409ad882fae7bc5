import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { type Store, startStore } from '../../local/store.ts';
import { alternate } from '../alternate.ts';
import { login } from '../customer.ts';
import { benchDir, type Measurement } from '../measurement.ts';
import { cpuMs } from '../process-usage.ts';
import { rateOf } from '../rates.ts';

const amount = 2_000;
const components = ['auth', 'account'];

/** CPU time of a service that checks the token itself, compared with one that trusts `id-account`. */
export const bearer: Measurement = {
  name: 'bearer',
  components,
  async run({ store: trusting, log }) {
    const checking = await startStore({
      ...{ dir: join(benchDir, 'bearer'), components, log, ports: 'free' },
      env: { APP_PROFILE: 'prod', BEARER_VALIDATION: 'on', JWT_PRIVATE_KEY: privateKey() },
    });
    try {
      const { first, second, ratio } = await alternate(
        { rounds: 4, warmUp: 1 },
        await costOf(checking),
        await costOf(trusting),
      );
      const measured = `${first.toFixed()} against ${second.toFixed()} CPU ms per 1000`;
      return [{ name: 'GET /accounts, token checked against trusted', measured, result: ratio, atMost: 1.15 }];
    } finally {
      await checking.stop();
    }
  },
};

/** CPU time of the account service for 1000 requests of one customer, as the gateway sends them. */
async function costOf(store: Store): Promise<() => Promise<number>> {
  const cookie = await login(store.url('auth'));
  const authorization = `Bearer ${cookie.slice(cookie.indexOf('=') + 1)}`;
  const [, claims = ''] = authorization.split('.');
  const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const request = { url: `${store.url('account')}/accounts`, headers: { authorization, 'id-account': sub } };
  const pid = store.component('account').pid();
  return async () => {
    const before = await cpuMs(pid);
    await rateOf(request, { amount });
    return (((await cpuMs(pid)) - before) * 1000) / amount;
  };
}

const privateKey = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
