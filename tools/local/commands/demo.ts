import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import makeFetchCookie from 'fetch-cookie';
import pWaitFor from 'p-wait-for';
import { messageOf, runCommand } from '../../run-command.ts';
import { fixedPorts } from '../ports.ts';

let gateway: string;
const fetchWithCookies = makeFetchCookie(fetch);

interface Step {
  title: string;
  method?: string;
  path: string;
  body?: object;
  headers?: Record<string, string>;
  expectedStatus: number;
  withoutCookie?: boolean;
}

/** Sends a request, prints it with its response, and fails where the status is another than expected. */
async function step({ title, method = 'GET', path, body, headers = {}, expectedStatus, withoutCookie }: Step) {
  const response = await (withoutCookie ? fetch : fetchWithCookies)(new URL(path, gateway), {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  const text = (await response.text()).trim();
  console.log(`\n${title}\n  ${method} ${path}${body ? ` ${JSON.stringify(body)}` : ''}`);
  for (const [name, value] of Object.entries(headers)) console.log(`  ${name}: ${value}`);
  console.log(`  ${response.status} ${text.length > 400 ? `${text.slice(0, 400)} …` : text}`);
  for (const name of ['location', 'link', 'idempotency-replayed']) {
    const value = response.headers.get(name);
    if (value) console.log(`  ${name}: ${value}`);
  }
  if (response.status !== expectedStatus) throw new Error(`Expected status ${expectedStatus}.`);
  return {
    headers: response.headers,
    json: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined,
  };
}

const get = (title: string, path: string) => step({ title, path, expectedStatus: 200 });
const create = (title: string, path: string, body?: object, headers?: Record<string, string>) =>
  step({ title, method: 'POST', path, body, headers, expectedStatus: 201 });

/** @returns the path of the new order */
async function placeOrder(title: string, items: object[]): Promise<string> {
  const { headers } = await create(title, '/orders', { items });
  return headers.get('location') ?? '';
}

/** Waits until events have brought an order to a status. */
async function waitForStatus(title: string, path: string, expected: string): Promise<void> {
  process.stdout.write(`\n${title} `);
  let status: string | undefined;
  const timeout = { milliseconds: 60_000, message: `The order did not become ${expected} within a minute.` };
  await pWaitFor(
    async () => {
      const response = await fetchWithCookies(new URL(path, gateway));
      if (response.ok) ({ status } = (await response.json()) as { status: string });
      if (status !== expected) process.stdout.write('.');
      return status === expected;
    },
    { interval: 200, timeout },
  );
  console.log(`${status}\n  make timeline ORDER=${path.split('/')[2]} prints its events`);
}

async function demo(): Promise<void> {
  gateway = process.env.GATEWAY_URL || `http://localhost:${fixedPorts().gateway}`;
  const answer = await fetch(`${gateway}/health-check`).catch((error: Error) => error);
  if (answer instanceof Error && gateway.startsWith('https:'))
    throw new Error(`The store does not respond at ${gateway}: ${messageOf(answer.cause ?? answer)}`);
  if (answer instanceof Error || !answer.ok)
    throw new Error(`The store does not respond at ${gateway}: start it with make run.`);

  const credentials = { email: `ada-${randomUUID().slice(0, 8)}@example.com`, password: randomUUID() };
  await step({
    title: 'Without a token, accounts are refused.',
    path: '/accounts',
    expectedStatus: 401,
    withoutCookie: true,
  });
  await create('Ada registers.', '/auth/register', { name: 'Ada', ...credentials });
  const login = { method: 'POST', path: '/auth/login', body: credentials, expectedStatus: 200 };
  await step({ title: 'She logs in and gets a cookie with a token.', ...login });
  await get('Now she sees her account.', '/accounts');

  const items: { productId: string; quantity: number }[] = [];
  for (const product of [
    { name: 'Green tea', price: 4.95, unit: 'box' },
    { name: 'Oat biscuits', price: 2.3, unit: 'packet' },
    { name: 'Coffee beans', price: 12.0125, unit: 'kg' },
  ]) {
    const { json } = await create(`A new product: ${product.name}.`, '/products', product);
    items.push({ productId: json.id, quantity: items.length + 1 });
  }
  const tea = items[0]?.productId;
  const { headers } = await get('The catalogue, two products per page.', '/products?size=2');
  const next = headers.get('link')?.match(/<([^>]+)>;\s*rel="next"/)?.[1];
  if (next) await get('The next page, by its Link.', next);

  const key = { 'idempotency-key': randomUUID() };
  const { json: order } = await create('Ada orders all three.', '/orders', { items }, key);
  const { json: again } = await create(
    'She sends the request again: it is still one order.',
    '/orders',
    { items },
    key,
  );
  if (again.id !== order.id) throw new Error(`The second response is another order: ${again.id}.`);
  await waitForStatus('First outcome: stock is reserved and the order is paid.', `/orders/${order.id}`, 'CONFIRMED');

  const piano = { name: 'Grand piano', price: 120_000, unit: 'piece' };
  const { json: expensive } = await create('A product above the payment limit.', '/products', piano);
  const unpaid = await placeOrder('She orders it.', [{ productId: expensive.id, quantity: 1 }]);
  await waitForStatus('Second outcome: payment is declined and the stock released.', unpaid, 'CANCELLED');
  await get('The reason:', `${unpaid}/cancellation`);
  const outOfStock = await placeOrder('More tea than there is.', [{ productId: tea, quantity: 10_000 }]);
  await waitForStatus('The same outcome for lack of stock.', outOfStock, 'CANCELLED');
  await get('The reason:', `${outOfStock}/cancellation`);

  const regretted = await placeOrder('One more box of tea.', [{ productId: tea, quantity: 1 }]);
  await waitForStatus('It is paid.', regretted, 'CONFIRMED');
  await create('Third outcome: she cancels a paid order and is refunded.', `${regretted}/cancellation`);
  await get('The order is cancelled.', regretted);
  await get('All her orders.', '/orders?page=0&size=10&sort=createdAt,desc');

  const { json: records } = await get('Station status records, by time.', '/api/v1/status/?limit=3');
  const last = records.at(-1);
  if (last) await get('The next ones.', `/api/v1/status/?limit=3&cursor=${encodeURIComponent(last.time)}`);
  else console.log('  (none yet: make seed adds 200,000)');

  await get('Ada logs out.', '/auth/logout');
  await step({ title: 'Without the cookie she is refused again.', path: '/accounts', expectedStatus: 401 });
  console.log('\nEverything went as expected.');
}

const command = new Command('make demo')
  .description('Walks through the running store as a customer, by requests to the gateway. Can be repeated.')
  .addHelpText(
    'after',
    '\nEnvironment:\n  GATEWAY_URL          of another store than the local one\n  NODE_EXTRA_CA_CERTS  file with the authority of its certificate, where that is none of Node.js',
  )
  .action(demo);

await runCommand(command, (error) => `\n${messageOf(error)}`);
