import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { MailTo } from '@store/shared/contracts/account';
import { newEvent } from '@store/shared/messaging/events';
import { newCredential } from '../../../../tests/kit/credentials.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { customerId } from '../consumer/_fixture.ts';
import { type TestGroup, testGroup } from './_group.ts';

const database = useDatabase('consumers');
const credential = newCredential();
/** The answer of account, and what it was asked. */
const account: { answer?: MailTo | undefined; asked: unknown[] } = { asked: [] };
const server = createServer(async (req, res) => {
  account.asked.push([req.url, await json(req), req.headers.authorization]);
  res.writeHead(account.answer ? 200 : 404, { 'content-type': 'application/json' });
  res.end(JSON.stringify(account.answer ?? {}));
});
let group: TestGroup;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ACCOUNT_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  group = testGroup(database.url, 'notification-group', { env: { ACCOUNT_URL, INTERNAL_CREDENTIAL: credential } });
});
afterAll(async () => {
  await group.close();
  server.close();
});
beforeEach(() => {
  account.answer = { name: 'Ada', email: 'ada@example.com', locale: 'en', token: 'the-token' };
  account.asked = [];
});

const timestamp = new Date().toISOString();
const asked = (requestId = randomUUID()) =>
  newEvent(randomUUID(), 'PasswordResetRequested', { accountId: customerId, requestId, timestamp });

it('a mail that nobody sends is listed, and its link is made when it is read', async () => {
  const requestId = randomUUID();
  const event = asked(requestId);
  await group.handle(event);
  const { body: listed } = await group.get('/internal/mails');
  expect(listed[0]).toMatchObject({ id: event.id, customerId, subject: 'Set a new password' });
  expect(account.asked).toEqual([]);
  const { body: mail } = await group.get(`/internal/mails/${event.id}`);
  expect(mail).toMatchObject({ to: { name: 'Ada', address: 'ada@example.com' }, subject: 'Set a new password' });
  expect(mail.text).toContain('http://localhost:3000/#/reset/the-token');
  expect(account.asked).toEqual([
    [`/internal/accounts/${customerId}/mail`, { requestId, isFormer: false }, `Bearer ${credential}`],
  ]);
});

it('a mail of an account that is gone cannot be read', async () => {
  const event = asked();
  await group.handle(event);
  account.answer = undefined;
  expect((await group.get(`/internal/mails/${event.id}`)).status).toBe(404);
  expect((await group.get(`/internal/mails/${randomUUID()}`)).status).toBe(404);
});

it('nobody reads mails in production, or where a mail server sends them', async () => {
  const event = asked();
  await group.handle(event);
  for (const options of [{ production: true }, { sendsMail: true }]) {
    const other = testGroup(database.url, 'notification-group', options);
    expect((await other.get('/internal/mails')).status).toBe(404);
    expect((await other.get(`/internal/mails/${event.id}`)).status).toBe(404);
    await other.close();
  }
});

it('messages to a customer are deleted with the account', async () => {
  const other = randomUUID();
  await group.handle(asked(), newEvent(randomUUID(), 'PasswordChanged', { accountId: other, timestamp }));
  await group.handle(newEvent(randomUUID(), 'AccountDeleted', { accountId: customerId, timestamp }));
  expect(await group.prisma.notification.count({ where: { customerId } })).toBe(0);
  expect(await group.prisma.notification.count({ where: { customerId: other } })).toBe(1);
});
