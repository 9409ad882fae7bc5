import { createServer } from 'node:http';
import { mean } from 'simple-statistics';
import { listen } from '../../../tests/kit/listen.ts';
import type { Store } from '../../local/store.ts';
import { figure } from '../figures.ts';
import { type Measurement, say } from '../measurement.ts';
import { prepareOrderLoad } from '../order-load.ts';
import { orderLife } from './order-life.ts';

const warmUpSeconds = 15;
const seconds = 12;
/** The machine's speed drifts, so orders with and without the webhook alternate. */
const rounds = 4;

/** Measures what a webhook that hears of each payment adds to the cost of an order. */
export const webhooks: Measurement = {
  ...orderLife,
  name: 'webhooks',
  takes: 'three minutes',
  // In production no webhook reaches this machine.
  env: { APP_PROFILE: 'dev' },
  async run(store) {
    const receiver = createServer((req, res) => void req.resume().on('end', () => res.writeHead(204).end()));
    const url = `http://127.0.0.1:${await listen(receiver)}/`;
    const load = await prepareOrderLoad(store);
    const first = await addWebhook(store, url);
    await load.warmUp(warmUpSeconds);
    await first.remove();
    const [without, beside]: [Loop[], Loop[]] = [[], []];
    for (let round = 1; round <= rounds; round += 1) {
      say(`webhooks: placing orders without a webhook and with one, ${round} of ${rounds}`);
      without.push(await load.closedLoop(seconds));
      const webhook = await addWebhook(store, url);
      beside.push(await load.closedLoop(seconds));
      await webhook.remove();
    }
    receiver.close().closeAllConnections();
    const [some, none] = [beside, without].map((loops) => loops.map(({ cost }) => cost.toFixed(2)).join(', '));
    const added = without[0]?.costs.map(
      ([name]) => `${name} ${(costOf(name, beside) - costOf(name, without)).toFixed(2)}`,
    );
    const total = mean(beside.map(({ cost }) => cost)) - mean(without.map(({ cost }) => cost));
    return [figure('webhook', total, `with it ${some}; without ${none}; added ${added?.join(', ')}`)];
  },
};

type Loop = Awaited<ReturnType<Awaited<ReturnType<typeof prepareOrderLoad>>['closedLoop']>>;

/** ms of a process for an order */
const costOf = (name: string, loops: Loop[]) => mean(loops.map(({ costs }) => new Map(costs).get(name) ?? 0));

async function addWebhook(store: Store, url: string) {
  const headers = {
    'id-account': crypto.randomUUID(),
    'account-roles': 'operator',
    'content-type': 'application/json',
  };
  const call = async (method: string, path: string, body?: string) => {
    const answer = await fetch(store.url('webhook') + path, { method, headers, ...(body && { body }) });
    if (!answer.ok) throw new Error(`${method} ${path} returned ${answer.status}`);
    return answer.text();
  };
  const { id } = JSON.parse(await call('POST', '/webhooks', JSON.stringify({ url, kinds: ['OrderPaid'] })));
  return { remove: () => call('DELETE', `/webhooks/${id}`) };
}
