import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import makeFetchCookie from 'fetch-cookie';
import { fixedPorts } from '../ports.ts';

// A customer walks through the store, by the gateway alone. Everything is made anew, so it can be repeated.
// GATEWAY_URL: another store than the local one.

const gateway = process.env.GATEWAY_URL || `http://localhost:${fixedPorts().gateway}`;
const longestLifeMs = 60_000;
const withCookies = makeFetchCookie(fetch);

interface Step {
  say: string;
  method?: string;
  path: string;
  body?: object;
  headers?: Record<string, string>;
  /** The status that it has to be answered with. */
  expect: number;
  withoutCookie?: boolean;
}

async function step({ say, method = 'GET', path, body, headers = {}, expect, withoutCookie }: Step) {
  const answer = await (withoutCookie ? fetch : withCookies)(new URL(path, gateway), {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  const text = (await answer.text()).trim();
  console.log(`\n${say}\n  ${method} ${path}${body ? ` ${JSON.stringify(body)}` : ''}`);
  for (const [name, value] of Object.entries(headers)) console.log(`  ${name}: ${value}`);
  console.log(`  ${answer.status} ${text.length > 400 ? `${text.slice(0, 400)} …` : text}`);
  for (const name of ['location', 'link', 'idempotency-replayed']) {
    const value = answer.headers.get(name);
    if (value) console.log(`  ${name}: ${value}`);
  }
  if (answer.status !== expect) throw new Error(`That should have been answered with ${expect}.`);
  return { headers: answer.headers, json: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined };
}

/** The path of the next page, or undefined after the last. */
const nextOf = (headers: Headers) => headers.get('link')?.match(/<([^>]+)>;\s*rel="next"/)?.[1];

const create = (path: string, body: object) => ({ method: 'POST', path, body, expect: 201 });

/** The path of a new order. */
async function place(say: string, items: object[]): Promise<string> {
  const { json } = await step({ say, ...create('/orders', { items }) });
  return `/orders/${json.id}`;
}

/** Waits until an order has come to that status by its events. */
async function until(status: string, say: string, path: string): Promise<void> {
  process.stdout.write(`\n${say} `);
  for (const deadline = Date.now() + longestLifeMs; ; await sleep(200)) {
    const answer = await withCookies(new URL(path, gateway));
    const order = (answer.ok ? await answer.json() : {}) as { status?: string };
    if (order.status === status) break;
    if (Date.now() > deadline) throw new Error(`It is still ${order.status ?? `answered with ${answer.status}`}.`);
    process.stdout.write('.');
  }
  console.log(`${status}\n  make timeline ORDER=${path.split('/')[2]} prints its events`);
}

async function walk(): Promise<void> {
  const email = `ada-${randomUUID().slice(0, 8)}@example.com`;
  const password = randomUUID();

  await step({ say: 'A stranger sees no account.', path: '/accounts', expect: 401, withoutCookie: true });
  const person = { name: 'Ada', email, password };
  await step({ say: 'Ada registers.', ...create('/auth/register', person) });
  const credentials = { email, password };
  await step({
    say: 'She logs in, and is given a cookie.',
    method: 'POST',
    path: '/auth/login',
    body: credentials,
    expect: 200,
  });
  await step({ say: 'Now she sees her account.', path: '/accounts', expect: 200 });

  const items: { productId: string; quantity: number }[] = [];
  const wares = [
    { name: 'Green tea', price: 4.95, unit: 'box' },
    { name: 'Oat biscuits', price: 2.3, unit: 'packet' },
    { name: 'Coffee beans', price: 12.0125, unit: 'kg' },
  ];
  for (const body of wares) {
    const { json } = await step({ say: `A product: ${body.name}.`, ...create('/products', body) });
    items.push({ productId: json.id, quantity: items.length + 1 });
  }
  const catalogue = await step({ say: 'The catalogue, two at a time.', path: '/products?size=2', expect: 200 });
  const nextPage = nextOf(catalogue.headers);
  if (nextPage) await step({ say: 'The next page is where Link says.', path: nextPage, expect: 200 });

  const order = {
    ...create('/orders', { items }),
    headers: { 'idempotency-key': randomUUID() },
  };
  const { json: placed } = await step({ say: 'Ada orders all three.', ...order });
  const { json: again } = await step({ say: 'The line was bad, she sends it again: still one order.', ...order });
  if (again.id !== placed.id) throw new Error('That should have been the same order.');
  await until('CONFIRMED', 'First ending: stock is reserved, the order is paid.', `/orders/${placed.id}`);

  const piano = { name: 'Grand piano', price: 120_000, unit: 'piece' };
  const { json: dear } = await step({ say: 'A product above what is paid.', ...create('/products', piano) });
  const tooDear = await place('She orders it.', [{ productId: dear.id, quantity: 1 }]);
  await until('CANCELLED', 'Second ending: the payment is refused, the stock released.', tooDear);
  await step({ say: 'Why?', path: `${tooDear}/cancellation`, expect: 200 });
  const tooMany = await place('Far too much tea.', [{ productId: items[0]?.productId, quantity: 10_000 }]);
  await until('CANCELLED', 'Or there is not enough of it.', tooMany);
  await step({ say: 'Why?', path: `${tooMany}/cancellation`, expect: 200 });

  const regretted = await place('One more box of tea.', [{ productId: items[0]?.productId, quantity: 1 }]);
  await until('CONFIRMED', 'It is paid.', regretted);
  const thought = 'Third ending: she thinks better of it, her money goes back.';
  await step({ say: thought, method: 'POST', path: `${regretted}/cancellation`, expect: 201 });
  await step({ say: 'The order is cancelled.', path: regretted, expect: 200 });
  await step({ say: 'Her orders.', path: '/orders?page=0&size=10&sort=createdAt,desc', expect: 200 });

  const { json: records } = await step({ say: 'Stations, by time.', path: '/api/v1/status/?limit=3', expect: 200 });
  const last = records.at(-1);
  if (last) {
    const cursor = encodeURIComponent(last.time);
    await step({ say: 'And those after the last.', path: `/api/v1/status/?limit=3&cursor=${cursor}`, expect: 200 });
  } else {
    console.log('  (none yet: make seed brings 200,000)');
  }

  await step({ say: 'Ada logs out.', path: '/auth/logout', expect: 200 });
  await step({ say: 'She is a stranger again.', path: '/accounts', expect: 401 });
}

try {
  const { ok } = await fetch(`${gateway}/health-check`).catch(() => ({ ok: false }));
  if (!ok) throw new Error(`The store does not answer at ${gateway}: start it with make run.`);
  await walk();
  console.log('\nAll of it went as it should.');
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
