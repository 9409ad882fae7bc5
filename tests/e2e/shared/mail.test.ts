import { topology } from '../../../tools/topology/topology.ts';
import { logIn, newCustomer, newProduct } from '../../kit/customer.ts';
import { createSend, withCookie } from '../../kit/http.ts';
import { readTopic } from '../../kit/kafka/topic.ts';
import { queryOnce } from '../../kit/postgres/database.ts';
import { mailbox } from '../_mailbox.ts';
import { sharedStore, startSharedGateway, startSharedReplica } from '../_shared-store.ts';
import { until } from '../_store.ts';

// Mails and their links (contract 3.11), with services that check tokens themselves, as in production.

const store = sharedStore();
const mail = mailbox(store);
const order = await startSharedReplica('order', { EMAIL_CONFIRMATION: 'required' });
const { url: gatewayUrl } = await startSharedGateway({ upstreams: order });
const anonymous = createSend(gatewayUrl);

const statusOfLogin = async (email: string, password: string) =>
  (await anonymous('POST', '/auth/login', { email, password })).status;

it('a customer confirms the address, resets the password, changes the address, and deletes the account without a trace', async () => {
  const events = await readTopic('account-events', store.kafkaBrokers);
  const ada = await newCustomer(anonymous);
  const next = (subject: string) => mail(ada.accountId, subject);
  const items = [{ productId: await newProduct(ada), quantity: 1 }];
  const refused = await ada.send('POST', '/orders', { items });
  expect(refused).toMatchObject({ status: 403, body: { type: 'urn:problem:store:email-not-confirmed' } });
  const first = await next('Confirm your e-mail address');
  expect(first.address).toBe(ada.email);
  expect((await anonymous('POST', '/auth/email-confirmations', { token: first.token })).status).toBe(204);
  expect((await ada.send('POST', '/orders', { items })).status).toBe(201);

  expect((await anonymous('POST', '/auth/password-resets', { email: ada.email })).status).toBe(202);
  const { token } = await next('Set a new password');
  const reset = { token, password: 'battery staple' };
  expect((await anonymous('POST', '/auth/password-resets/confirmation', reset)).status).toBe(204);
  await until('its sessions have ended', async () => (await ada.send('GET', '/accounts')).status === 401);
  expect(await statusOfLogin(ada.email, 'battery staple')).toBe(200);

  const cookie = await logIn(anonymous, { email: ada.email, password: 'battery staple' });
  const again = withCookie(anonymous, cookie);
  const path = `/accounts/${ada.accountId}`;
  const moved = `moved-${ada.email}`;
  expect((await again('PATCH', path, { email: moved, currentPassword: 'wrong' })).status).toBe(403);
  const move = () => again('PATCH', path, { email: moved, currentPassword: 'battery staple' });
  expect((await move()).status).toBe(200);
  const cancelled = await next('Confirm your e-mail address');
  const warning = await next('Your e-mail address is about to change');
  expect([cancelled.address, warning.address]).toEqual([moved, ada.email]);
  expect((await anonymous('POST', '/auth/email-confirmations', { token: warning.token })).status).toBe(204);
  expect((await anonymous('POST', '/auth/email-confirmations', { token: cancelled.token })).status).toBe(403);
  expect((await move()).status).toBe(200);
  const { address, token: confirmation } = await next('Confirm your e-mail address');
  expect(address).toBe(moved);
  expect((await anonymous('POST', '/auth/email-confirmations', { token: confirmation })).status).toBe(204);
  expect((await next('Your e-mail address has been changed')).address).toBe(ada.email);
  expect([await statusOfLogin(ada.email, 'battery staple'), await statusOfLogin(moved, 'battery staple')]).toEqual([
    401, 200,
  ]);

  expect((await again('DELETE', path, { password: 'wrong' })).status).toBe(403);
  expect((await again('DELETE', path, { password: 'battery staple' })).status).toBe(204);
  expect((await again('GET', '/accounts')).status).toBe(401);
  expect(await statusOfLogin(moved, 'battery staple')).toBe(401);
  await until('its messages are gone', async () => (await tablesWith(ada.email)).length === 0);
  for (const text of [JSON.stringify(events.messages), await store.logs()]) expect(text).not.toContain(ada.email);
  expect(JSON.stringify(events.messages)).toContain(ada.accountId);
  await events.close();
}, 120_000);

/** The tables in all databases that contain a text, compared byte by byte. */
async function tablesWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const database of topology.databases) {
    const url = store.databaseUrl(database);
    const tables = await queryOnce(url, `select tablename from pg_tables where schemaname = 'public'`);
    for (const { tablename } of tables as { tablename: string }[]) {
      const rows = await queryOnce(url, `select 1 from "${tablename}" as t where strpos(t::text, '${text}') > 0`);
      if (rows.length > 0) found.push(`${database}.${tablename}`);
    }
  }
  return found;
}
