import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { topology } from '../../../tools/topology/topology.ts';
import { newCredential } from '../../kit/credentials.ts';
import { type Customer, logIn, newCustomer, newProduct } from '../../kit/customer.ts';
import { createSend, withCookie } from '../../kit/http.ts';
import { readTopic } from '../../kit/kafka/topic.ts';
import { queryOnce } from '../../kit/postgres/database.ts';
import { startTestStore, type TestStore, until } from '../_store.ts';

// Mails and what follows from their links (contract 3.11), with services that check tokens themselves, as in production.

const credential = newCredential();
let store: TestStore;
let ada: Customer;
let events: Awaited<ReturnType<typeof readTopic>>;

beforeAll(async () => {
  store = await startTestStore({
    components: ['gateway', 'auth', 'account', 'product', 'order', 'notification'],
    env: {
      EMAIL_CONFIRMATION: 'required',
      BEARER_VALIDATION: 'on',
      INTERNAL_CREDENTIAL: credential,
      INTERNAL_CREDENTIALS: credential,
      OPERATOR_CREDENTIALS: credential,
      MAILER_CREDENTIALS: credential,
    },
  });
  events = await readTopic('account-events', store.kafkaBrokers);
  ada = await newCustomer(createSend(store.gatewayUrl));
}, 120_000);

afterAll(async () => {
  await events?.close();
  await store?.stop();
}, 60_000);

async function operator<T>(path: string): Promise<T> {
  const headers = { authorization: `Bearer ${credential}` };
  const response = await fetch(`${store.url('notification')}${path}`, { headers });
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

const read = new Set<string>();
/** The next mail of a subject, as the console shows it. */
async function mail(subject: string) {
  const all = () => operator<{ id: string; subject: string }[]>('/internal/mails');
  const find = async () => (await all()).find((one) => one.subject === subject && !read.has(one.id));
  await until(`there is a mail: ${subject}`, async () => (await find()) !== undefined);
  const id = (await find())?.id ?? '';
  read.add(id);
  const { to, text } = await operator<{ to: { address: string }; text: string }>(`/internal/mails/${id}`);
  return { address: to.address, token: /#\/\w+\/(\S+)$/.exec(text)?.[1] };
}

const anonymous = () => createSend(store.gatewayUrl);
const statusOfLogin = async (email: string, password: string) =>
  (await anonymous()('POST', '/auth/login', { email, password })).status;

test('a customer confirms, forgets the password, moves to another address, and leaves without a trace', async () => {
  const order = { items: [{ productId: await newProduct(ada), quantity: 1 }] };
  const refused = await ada.send('POST', '/orders', order);
  expect(refused).toMatchObject({ status: 403, body: { type: 'urn:problem:store:email-not-confirmed' } });
  const first = await mail('Confirm your e-mail address');
  expect(first.address).toBe(ada.email);
  expect((await anonymous()('POST', '/auth/email-confirmations', { token: first.token })).status).toBe(204);
  expect((await ada.send('POST', '/orders', order)).status).toBe(201);

  expect((await anonymous()('POST', '/auth/password-resets', { email: ada.email })).status).toBe(202);
  const { token } = await mail('Set a new password');
  const reset = { token, password: 'battery staple' };
  expect((await anonymous()('POST', '/auth/password-resets/confirmation', reset)).status).toBe(204);
  await until('its sessions have ended', async () => (await ada.send('GET', '/accounts')).status === 401);
  expect(await statusOfLogin(ada.email, 'battery staple')).toBe(200);

  const cookie = await logIn(anonymous(), { email: ada.email, password: 'battery staple' });
  const again = withCookie(anonymous(), cookie);
  const path = `/accounts/${ada.accountId}`;
  const moved = `moved-${ada.email}`;
  expect((await again('PATCH', path, { email: moved, currentPassword: 'wrong' })).status).toBe(403);
  expect((await again('PATCH', path, { email: moved, currentPassword: 'battery staple' })).status).toBe(200);
  const { address, token: confirmation } = await mail('Confirm your e-mail address');
  expect(address).toBe(moved);
  expect((await anonymous()('POST', '/auth/email-confirmations', { token: confirmation })).status).toBe(204);
  expect((await mail('Your e-mail address has been changed')).address).toBe(ada.email);
  expect([await statusOfLogin(ada.email, 'battery staple'), await statusOfLogin(moved, 'battery staple')]).toEqual([
    401, 200,
  ]);

  expect((await again('DELETE', path, { password: 'wrong' })).status).toBe(403);
  expect((await again('DELETE', path, { password: 'battery staple' })).status).toBe(204);
  expect((await again('GET', '/accounts')).status).toBe(401);
  expect(await statusOfLogin(moved, 'battery staple')).toBe(401);
  await until('its messages are gone', async () => (await operator<[]>('/internal/mails')).length === 0);
  expect(await tracesOf(ada.email)).toEqual([]);
}, 120_000);

/** Tables, topics and logs that hold a text, byte by byte. */
async function tracesOf(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const database of topology.databases) {
    const url = store.databaseUrl(database);
    const tables = await queryOnce(url, `select tablename from pg_tables where schemaname = 'public'`);
    for (const { tablename } of tables as { tablename: string }[]) {
      const rows = await queryOnce(url, `select 1 from "${tablename}" as t where strpos(t::text, '${text}') > 0`);
      if (rows.length > 0) found.push(`${database}.${tablename}`);
    }
  }
  if (JSON.stringify(events.messages).includes(text)) found.push('account-events');
  const logs = join(store.dir, 'log');
  for (const name of await readdir(logs)) {
    if ((await readFile(join(logs, name), 'utf8')).includes(text)) found.push(name);
  }
  return found;
}
