import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { newCredential } from '../../../../tests/kit/credentials.ts';
import { storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { testGroup } from './_group.ts';

const database = useDatabase('consumers');
const credential = newCredential();
const notifications = database.open((url) =>
  testGroup(url, 'notification-group', { env: { INTERNAL_CREDENTIALS: credential } }),
);

const [alice, mallory] = [randomUUID(), randomUUID()];
const cancelled = (customerId: string) =>
  storedEvent('OrderCancelled', { orderId: randomUUID(), customerId, reason: 'why not' });
const events = [alice, mallory, alice, alice].map(cancelled);

beforeAll(async () => {
  await notifications.handle(...events);
  await notifications.prisma.notification.updateMany({ data: { refusal: '550 mx1.internal: no such mailbox' } });
});

const get = (path: string, headers: Record<string, string>) => request(notifications.app).get(path).set(headers);
const as = (accountId: string) => ({ 'id-account': accountId });
const idsOf = ({ body }: { body: { content: { id: string }[] } }) => body.content.map(({ id }) => id);

test('customers list what was written to them, newest first, by cursor', async () => {
  const own = [events[3]?.id, events[2]?.id, events[0]?.id];
  const first = await get('/notifications?size=2', as(alice));
  expect(idsOf(first)).toEqual(own.slice(0, 2));
  expect(first.body.page.totalElements).toBe(3);
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.link ?? '')?.[1] ?? '';
  expect(idsOf(await get(next, as(alice)))).toEqual(own.slice(2));
  expect(idsOf(await get(next, as(mallory)))).toEqual([events[1]?.id]);
});

test('no filter, cursor or credential shows the messages to another customer', async () => {
  for (const query of [`customerId=${alice}`, `orderId=${events[0]?.key}`])
    expect(idsOf(await get(`/notifications?${query}`, as(mallory)))).toEqual([]);
  const both = { ...as(mallory), authorization: `Bearer ${credential}` };
  expect(idsOf(await get('/notifications', both))).toEqual([events[1]?.id]);
});

test('what the mail server has said is for operators, who show a credential and no account', async () => {
  const operator = { authorization: `Bearer ${credential}` };
  const { body } = await get('/notifications', operator);
  expect(body.content).toHaveLength(4);
  expect(body.content[0]).toHaveProperty('refusal');
  for (const { refusal } of (await get('/notifications', as(alice))).body.content) expect(refusal).toBeUndefined();
  expect((await get('/notifications', {})).status).toBe(403);
  expect((await get('/notifications', as('nobody'))).status).toBe(401);
});
