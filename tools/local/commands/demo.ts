import { randomUUID } from 'node:crypto';
import pWaitFor from 'p-wait-for';
import type { NewProduct, Order } from '../../../clients/typescript/src/index.ts';
import { createStore, keepCookies, StoreProblem } from '../../../clients/typescript/src/index.ts';
import { messageOf } from '../../../services/shared/src/values/errors.ts';
import { cut } from '../../../services/shared/src/values/text.ts';
import { Tool } from '../../run-command.ts';
import { askGateway } from './_gateway.ts';

const printing =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    const body = await request.clone().text();
    const { pathname, search } = new URL(request.url);
    console.log(`  ${request.method} ${pathname}${search}${body && ` ${body}`}`);
    const key = request.headers.get('idempotency-key');
    if (key) console.log(`  idempotency-key: ${key}`);
    const response = await send(request);
    const text = (await response.clone().text()).trim();
    console.log(`  ${response.status} ${text.length > 400 ? `${cut(text, 400)} …` : text}`);
    for (const name of ['location', 'link', 'idempotency-replayed']) {
      const value = response.headers.get(name);
      if (value) console.log(`  ${name}: ${value}`);
    }
    return response;
  };

/** Says what a request is for, and sends it. */
function step<T>(title: string, request: () => Promise<T>): Promise<T> {
  console.log(`\n${title}`);
  return request();
}

async function expectRefusal(request: Promise<unknown>): Promise<void> {
  const outcome = await request.catch((error: unknown) => error);
  if (outcome instanceof StoreProblem && outcome.status === 401) return;
  throw outcome instanceof Error ? outcome : new Error('Expected status 401.');
}

const waitUntil = (holds: () => Promise<boolean>, message?: string) =>
  pWaitFor(holds, { interval: 200, timeout: { milliseconds: 60_000, message } });

async function demo(): Promise<void> {
  const { url } = await askGateway();
  const stranger = createStore({ url, fetch: printing(fetch) });
  const withCookies = keepCookies();
  const store = createStore({ url, fetch: printing(withCookies) });
  const silent = createStore({ url, fetch: withCookies });
  async function until(title: string, { id }: Order, expected: Order['status']): Promise<void> {
    process.stdout.write(`\n${title} `);
    await waitUntil(async () => {
      const { status } = await silent.getOrder({ path: { id } });
      if (status !== expected) process.stdout.write('.');
      return status === expected;
    }, `The order did not become ${expected} within a minute.`);
    console.log(`${expected}\n  make timeline ORDER=${id} prints its events`);
  }

  await step('Without a token, accounts are refused.', () => expectRefusal(stranger.listAccounts()));
  const credentials = { email: `ada-${randomUUID().slice(0, 8)}@example.com`, password: randomUUID() };
  await step('Ada registers.', () => store.register({ body: { name: 'Ada', ...credentials } }));
  await step('She logs in and gets a cookie with a token.', () => store.logIn({ body: credentials }));
  await step('Now she sees her account.', () => store.listAccounts());

  const create = (product: NewProduct) =>
    step(`A new product: ${product.name}.`, () => store.createProduct({ body: product }));
  const tea = await create({ name: 'Green tea', price: 4.95, unit: 'box' });
  const biscuits = await create({ name: 'Oat biscuits', price: 2.3, unit: 'packet' });
  const coffee = await create({ name: 'Coffee beans', price: 12.0125, unit: 'kg' });
  const pages = store.pages('listProducts', { query: { size: 2 } });
  await step('The catalogue, two products per page, and the next page by its Link.', () => pages.next());
  await pages.next();

  const ids = [tea.id, biscuits.id, coffee.id];
  await step('How many pieces of each are available.', () => store.listAvailability({ query: { id: ids } }));

  const items = [tea, biscuits, coffee].map(({ id: productId }, index) => ({ productId, quantity: index + 1 }));
  const once = { idempotencyKey: randomUUID() };
  const shippingAddress = { name: 'Ada', lines: ['12 Rua Augusta'], city: 'Lisbon', country: 'PT' };
  const body = { items, shippingAddress };
  const order = await step('Ada orders all three.', () => store.placeOrder({ body }, once));
  const again = await step('She sends the request again: it is still one order.', () =>
    store.placeOrder({ body }, once),
  );
  if (again.id !== order.id) throw new Error(`The second response has a different order: ${again.id}.`);
  await until('First outcome: stock is reserved and the order is paid.', order, 'CONFIRMED');

  const path = { id: order.id };
  await waitUntil(() => silent.getInvoice({ path }).then(Boolean, () => false)); // created independently of the confirmation
  await step('The invoice, which a browser shows as a page.', () => store.getInvoice({ path }));
  await step('Her messages.', () => store.listNotifications({ query: { size: 2 } }));

  const place = (title: string, { id: productId }: { id: string }, quantity: number) =>
    step(title, () => store.placeOrder({ body: { items: [{ productId, quantity }] } }));
  const explain = ({ id }: Order) => step('The reason:', () => store.getCancellation({ path: { id } }));
  const piano = await create({ name: 'Grand piano', price: 120_000, unit: 'piece' });
  const unpaid = await place('It is above the payment limit. She orders it.', piano, 1);
  await until('Second outcome: payment is declined and the stock released.', unpaid, 'CANCELLED');
  await explain(unpaid);
  const outOfStock = await place('She orders more tea than is in stock.', tea, 10_000);
  await until('The same outcome for lack of stock.', outOfStock, 'CANCELLED');
  await explain(outOfStock);

  const regretted = await place('She orders one more box of tea.', tea, 1);
  await until('It is paid.', regretted, 'CONFIRMED');
  const { id } = regretted;
  await step('Third outcome: she cancels a paid order and is refunded.', () => store.cancelOrder({ path: { id } }));
  const newestFirst = { page: 0, size: 10, sort: ['createdAt,desc' as const] };
  await step('All her orders.', () => store.listOrders({ query: newestFirst }));

  const records = await step('Station status records, by time.', () => store.listStatus({ query: { limit: 3 } }));
  const cursor = records.at(-1)?.time;
  if (cursor) await step('The next records.', () => store.listStatus({ query: { limit: 3, cursor } }));
  else console.log('  (none yet: make seed adds 200,000)');

  await step('Ada logs out.', () => store.logOut());
  await step('Without the cookie she is refused again.', () => expectRefusal(store.listAccounts()));
  console.log('\nEverything went as expected.');
}

await new Tool('make demo')
  .description('Walks through the running store as a customer, with requests to the gateway. Can be repeated.')
  .addHelpText(
    'after',
    '\nEnvironment:\n  GATEWAY_URL          URL of a store other than the local one\n  NODE_EXTRA_CA_CERTS  file with the authority of its certificate, if Node.js does not trust it',
  )
  .action(demo)
  .run((error) => `\n${messageOf(error)}`);
