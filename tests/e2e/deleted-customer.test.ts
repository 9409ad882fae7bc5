import { isDeepStrictEqual } from 'node:util';
import { newCustomer, newProduct } from '../kit/customer.ts';
import { createSend } from '../kit/http.ts';
import { useMailServer } from '../kit/mail-server.ts';
import { queryOnce } from '../kit/postgres/database.ts';
import { startTestStore, type TestStore, until } from './_store.ts';

const server = useMailServer();
let store: TestStore;

beforeAll(async () => {
  const components = ['gateway', 'auth', 'account', 'product', 'order', 'order-worker', 'inventory', 'payment'];
  store = await startTestStore({
    components: [...components, 'notification', 'invoice'],
    // The test makes orders due for shipment.
    env: { SMTP_URL: server.url, SHIP_AFTER_SECONDS: '3600' },
  });
}, 120_000);

afterAll(() => store?.stop(), 60_000);

it('orders in flight when their customer deletes the account are delivered or refunded, and no mail follows', async () => {
  const anonymous = createSend(store.gatewayUrl);
  const ada = await newCustomer(anonymous);
  await until('she has the mail that confirms her address', async () => server.mails.length === 1);
  const [, token] = /#\/confirm\/(\S+)/.exec((await server.read()).text ?? '') ?? [];
  expect((await anonymous('POST', '/auth/email-confirmations', { token })).status).toBe(204);
  const rows = <T extends object>(database: string, sql: string) => queryOnce<T>(store.databaseUrl(database), sql);
  const items = [{ productId: await newProduct(ada), quantity: 1 }];
  const place = async (): Promise<string> => (await ada.send('POST', '/orders', { items })).body.id;
  const isConfirmed = async (id: string) => (await ada.send('GET', `/orders/${id}`)).body.status === 'CONFIRMED';
  const [kept, regretted] = [await place(), await place()];
  await until('both are paid', async () => (await isConfirmed(kept)) && (await isConfirmed(regretted)));

  const payment = store.component('payment');
  payment.kill('SIGSTOP');
  expect((await ada.send('POST', `/orders/${regretted}/cancellation`)).status).toBe(201);
  const pending = await place();
  const told = ['registered', 'three received', 'two paid', 'one cancelled'].join(', ');
  await until(`she has mails: ${told}`, async () => server.mails.length === 7);
  const { accountId, password } = ada;
  expect((await ada.send('DELETE', `/accounts/${accountId}`, { password })).status).toBe(204);
  const messages = () =>
    rows<{ kind: string; due: boolean; sent: boolean; refusal: string | null }>(
      'consumers',
      `select kind, send_at is not null as due, sent_at is not null as sent, refusal from notifications
       where customer_id = '${accountId}'`,
    );
  await until('the messages to her are deleted', async () => (await messages()).length === 0);
  payment.kill('SIGCONT');

  const states = async () => {
    await rows(
      'order',
      `update orders set paid_at = now() - interval '2 hours' where status = 'CONFIRMED' and shipped_at is null`,
    );
    const found = await rows<{ id: string; state: string }>(
      'order',
      `select id, status || case when shipped_at is null then '' else ', shipped' end as state from orders`,
    );
    const payments = await rows<{ id: string; status: string }>(
      'payment',
      'select order_id as id, status from payments',
    );
    const paid = new Map(payments.map(({ id, status }) => [id, status]));
    return Object.fromEntries(found.map(({ id, state }) => [id, `${state}, ${paid.get(id)}`]));
  };
  const shipped = 'CONFIRMED, shipped, PAID';
  const ended = { [kept]: shipped, [pending]: shipped, [regretted]: 'CANCELLED, REFUNDED' };
  await until('all orders have ended as they would have', async () => isDeepStrictEqual(await states(), ended), 60_000);

  const late = ['OrderPaid', 'OrderShipped', 'OrderShipped', 'PaymentRefunded'];
  await until('the remaining messages are given up', async () => {
    const all = await messages();
    return all.length === late.length && all.every(({ due }) => !due);
  });
  const gone = { due: false, sent: false, refusal: expect.stringMatching(/no longer exists/) };
  expect((await messages()).sort((one, other) => (one.kind < other.kind ? -1 : 1))).toEqual(
    late.map((kind) => ({ kind, ...gone })),
  );
  expect(server.mails).toHaveLength(7);
  expect(await rows('consumers', `select * from invoices where customer_id = '${accountId}'`)).toHaveLength(3);
  const notes = `select * from credit_notes where customer_id = '${accountId}'`;
  await until('the refund has a credit note', async () => (await rows('consumers', notes)).length === 1);
}, 180_000);
