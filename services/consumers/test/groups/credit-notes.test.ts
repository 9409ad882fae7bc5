import { randomUUID } from 'node:crypto';
import { parseJson } from '@store/shared/values/json';
import fc from 'fast-check';
import request from 'supertest';
import { newCredential } from '../../../../tests/kit/credentials.ts';
import { storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { writeMissingCreditNotes } from '../../src/groups/invoice/missing-credit-note-repository.ts';
import { customerId } from '../consumer/_fixture.ts';
import { allOf, paid, partlyRefunded, type TestGroup, testGroup } from './_group.ts';
import { line, useOtherService } from './_other-service.ts';

const orders = { deleted: '' };
const service = useOtherService((path) => ({
  status: path.includes(orders.deleted) ? 404 : 200,
  body: { items: [line] },
}));

const money = (amount: number, currency = 'USD') => ({ amount, currency }) as never;
const taxes = [
  { permille: 60, gross: 4 },
  { permille: 230, gross: 8.75 },
] as never;

const about = (orderId: string) => ({ orderId, customerId, paymentId: randomUUID() });
const returned = (orderId: string, more: object = {}) =>
  storedEvent('PaymentRefunded', { ...about(orderId), amount: money(12.75), ...more });

interface Note {
  number: number;
  orderId: string;
  refundId: string;
  invoiceNumber: number;
  amount: { amount: number; currency: string };
  taxes?: { permille: number; gross: number; net: number; tax: number }[];
}
const notesOf = (group: TestGroup, orderId?: string) =>
  allOf<Note>(group, `/credit-notes?sort=number,asc${orderId === undefined ? '' : `&orderId=${orderId}`}`);
const outboxOf = async (group: TestGroup, key?: string) =>
  (await group.prisma.outbox.findMany({ ...(key && { where: { key } }), orderBy: { seq: 'asc' } })).map((row) => ({
    kind: row.kind,
    key: row.key,
    ...(parseJson(row.payload) as object),
  }));

describe('credit notes', () => {
  const database = useDatabase('consumers', 'each');
  const group = database.open((url) => testGroup(url, 'invoice-group'));

  it('are one for each refund, even if events are repeated, and are announced with their invoice', async () => {
    const order = paid();
    await group.handle(order);
    const part = partlyRefunded(order.key, 2.75);
    await group.handle(part, part);
    const rest = returned(order.key, { remainder: money(10) });
    await group.handle(rest);
    const again = (event: typeof part) => ({ ...event, id: randomUUID() });
    await group.handle(again(part), again(rest));

    const notes = await notesOf(group);
    const common = { orderId: order.key, customerId, invoiceNumber: 1, createdAt: expect.any(String) };
    expect(notes).toEqual([
      {
        ...common,
        number: 1,
        refundId: JSON.parse(part.payload).refundId,
        refundedAt: JSON.parse(part.payload).timestamp,
        amount: money(2.75),
      },
      {
        ...common,
        number: 2,
        refundId: expect.any(String),
        refundedAt: JSON.parse(rest.payload).timestamp,
        amount: money(10),
      },
    ]);
    const event = { orderId: order.key, key: order.key, customerId, timestamp: expect.any(String), invoiceNumber: 1 };
    expect(await outboxOf(group)).toEqual([
      { ...event, kind: 'InvoiceIssued', amount: money(12.75) },
      { ...event, kind: 'CreditNoteIssued', creditNoteNumber: 1, amount: money(2.75) },
      { ...event, kind: 'CreditNoteIssued', creditNoteNumber: 2, amount: money(10) },
    ]);
  });

  it('of an order that is paid after it was cancelled follow its invoice', async () => {
    const order = paid();
    await group.handle(order, returned(order.key));
    expect((await notesOf(group)).map(({ invoiceNumber, amount }) => [invoiceNumber, amount])).toEqual([
      [1, money(12.75)],
    ]);
    expect((await outboxOf(group)).map(({ kind }) => kind)).toEqual(['InvoiceIssued', 'CreditNoteIssued']);
  });

  it('wait for their invoice as dead letters, which are handled once it is there', async () => {
    const [order, other] = [paid(), paid()];
    const refund = returned(order.key);
    await group.handle(other);
    await expect(group.handle(refund)).rejects.toThrow(`There is no invoice for order ${order.key} yet.`);
    expect(await notesOf(group)).toEqual([]);
    await group.handle(order);
    await group.handle(refund);
    expect(await notesOf(group)).toHaveLength(1);
  });

  it('never exceed their invoice, in whatever currency', async () => {
    const order = paid();
    await group.handle(order, partlyRefunded(order.key, 12));
    await expect(group.handle(partlyRefunded(order.key, 0, { amount: money(0.5, 'EUR') }))).rejects.toThrow(
      'The refund is in EUR, but the invoice is in USD.',
    );
    // As when the 12 came back from the customer's bank, and are refunded again.
    await group.handle(partlyRefunded(order.key, 12));
    await group.handle(partlyRefunded(order.key, 0.75));
    expect((await notesOf(group)).map(({ number, amount }) => [number, amount])).toEqual([
      [1, money(12)],
      [2, money(0.75)],
    ]);
  });

  it('are not written for what returned nothing', async () => {
    const [free, partly] = [paid({ amount: money(0) }), paid()];
    await group.handle(free, partly, partlyRefunded(partly.key, 12.75));
    await group.handle(returned(free.key, { amount: money(0) }), returned(partly.key, { remainder: money(0) }));
    expect(await notesOf(group)).toHaveLength(1);
  });

  it('are numbered without gaps despite rollbacks and concurrent writers', async () => {
    const other = testGroup(database.url, 'invoice-group');
    const paidOrders = Array.from({ length: 40 }, () => paid());
    await group.handle(...paidOrders);
    const writes = paidOrders.map(({ key }, position) => async () => {
      const by = position % 2 === 0 ? group : other;
      // The second of its two refunds is in another currency, which rolls its chunk back.
      const chunk =
        position % 5 === 0
          ? [partlyRefunded(key, 12), partlyRefunded(key, 0, { amount: money(0.5, 'EUR') })]
          : [partlyRefunded(key, 5), partlyRefunded(key, 1)];
      await by.handle(...chunk);
    });
    // Fewer at a time than the connections of the pool.
    const lanes = [0, 1, 2, 3, 4].map(async (lane) => {
      for (const [position, write] of writes.entries()) if (position % 5 === lane) await write().catch(() => {});
    });
    const rolledBack = async () => {
      for (let time = 0; time < 10; time += 1) {
        const work = other.prisma.$transaction(async (tx) => {
          await tx.$executeRaw`update credit_note_counter set last_number = last_number + 1`;
          throw new Error('rolled back');
        });
        await work.catch(() => undefined);
      }
    };
    await Promise.all([...lanes, rolledBack(), rolledBack()]);
    await other.close();
    const notes = await notesOf(group);
    expect(notes.map(({ number }) => number)).toEqual(Array.from({ length: 72 }, (_, index) => index + 1));
    const announced = (await outboxOf(group)).filter(({ kind }) => kind === 'CreditNoteIssued');
    expect(announced).toHaveLength(72);
  });
});

describe('refunds of the past', () => {
  const database = useDatabase('consumers', 'each');
  const group = database.open((url) => testGroup(url, 'invoice-group'));
  const notifications = database.open((url) => testGroup(url, 'notification-group'));
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

  /** Events that the previous release's invoice skipped, and notification did not. */
  async function tell(hours: number, ...events: ReturnType<typeof returned>[]): Promise<void> {
    await notifications.handle(...events);
    const ids = events.map(({ id }) => id);
    await group.prisma.notification.updateMany({ where: { id: { in: ids } }, data: { createdAt: hoursAgo(hours) } });
  }
  async function lookThroughAll(): Promise<void> {
    while (await writeMissingCreditNotes(group.database));
  }

  it('get what their invoices have left, once, whatever is repeated', async () => {
    const [old, partly, unrefunded, done, recent] = [paid({ taxes }), paid(), paid(), paid(), paid()];
    const [uninvoiced, disputed] = [paid(), paid()];
    await group.handle(old, partly, unrefunded, done, recent, disputed);
    await group.handle(partlyRefunded(partly.key, 2.75), returned(done.key));
    await group.handle(returned(disputed.key, { remainder: money(2) }));
    await tell(1_000, returned(old.key), returned(uninvoiced.key));
    await tell(30, returned(partly.key, { remainder: money(10) }), returned(done.key), returned(disputed.key));
    // Its event may still be on its way to invoice.
    await tell(0, returned(recent.key));
    await lookThroughAll();
    const written = async () => (await notesOf(group)).map(({ orderId, amount }) => [orderId, amount.amount]);
    const expected = [
      [partly.key, 2.75],
      [done.key, 12.75],
      [disputed.key, 2],
      [old.key, 12.75],
      [partly.key, 10],
    ];
    expect(await written()).toEqual(expected);
    const [, , , note] = await notesOf(group);
    const [invoice] = await allOf<Note>(group, `/invoices?orderId=${old.key}`);
    expect(note?.taxes).toEqual(invoice?.taxes);
    expect((await outboxOf(group, old.key)).map(({ kind }) => kind)).toEqual(['InvoiceIssued', 'CreditNoteIssued']);

    await lookThroughAll();
    await group.prisma.creditNoteCounter.updateMany({ data: { lookedUntil: null } });
    await lookThroughAll();
    await group.handle(...[old, partly, recent].map(({ key }) => returned(key, { remainder: money(12.75) })));
    expect(await written()).toEqual([...expected, [recent.key, 12.75]]);
  });
});

describe('with tax', () => {
  const database = useDatabase('consumers', 'each');
  const group = database.open((url) => testGroup(url, 'invoice-group'));

  it('an invoice has net and tax of each rate, and its credit notes add up to them', async () => {
    const order = paid({ taxes });
    await group.handle(order);
    const { content } = (await group.get('/invoices').expect(200)).body;
    expect(content[0].taxes).toEqual([
      { permille: 60, gross: 4, net: 3.77, tax: 0.23 },
      { permille: 230, gross: 8.75, net: 7.11, tax: 1.64 },
    ]);
    await group.handle(
      partlyRefunded(order.key, 3, { taxes: [{ permille: 230, gross: 3 }] }),
      partlyRefunded(order.key, 1.01),
    );
    await group.handle(returned(order.key, { remainder: money(8.74) }));
    const notes = await notesOf(group);
    expect(notes.map(({ taxes }) => taxes)).toEqual([
      [{ permille: 230, gross: 3, net: 2.44, tax: 0.56 }],
      [
        { permille: 60, gross: 0.41, net: 0.39, tax: 0.02 },
        { permille: 230, gross: 0.6, net: 0.49, tax: 0.11 },
      ],
      [
        { permille: 60, gross: 3.59, net: 3.38, tax: 0.21 },
        { permille: 230, gross: 5.15, net: 4.18, tax: 0.97 },
      ],
    ]);
  });

  it('an amount that the rates of another producer do not add up to is divided in proportion to them', async () => {
    await group.handle(paid({ taxes: [{ permille: 230, gross: 1 }, { permille: 60, gross: 2 }] as never })); // biome-ignore format: one line
    const [invoice] = await allOf<Note>(group, '/invoices');
    expect(invoice?.taxes?.map(({ permille, gross }) => [permille, gross])).toEqual([
      [60, 8.5],
      [230, 4.25],
    ]);
  });

  it('credit notes and the rest are the invoice, whatever is refunded in which order', async () => {
    const refund = fc.record({
      units: fc.integer({ min: 1, max: 900 }),
      permille: fc.constantFrom(undefined, 60, 230),
    });
    const order = fc.record({ low: fc.integer({ min: 1, max: 900 }), high: fc.integer({ min: 1, max: 900 }) });
    await fc.assert(
      fc.asyncProperty(order, fc.array(refund, { maxLength: 5 }), async ({ low, high }, refunds) => {
        const rates = [
          { permille: 60, gross: low / 100 },
          { permille: 230, gross: high / 100 },
        ];
        const event = paid({ taxes: rates as never, amount: money((low + high) / 100) });
        await group.handle(event);
        let left = low + high;
        for (const { units, permille } of refunds) {
          const amount = Math.min(units, left);
          if (amount === 0) continue;
          left -= amount;
          const own = permille && [{ permille, gross: amount / 100 }];
          await group.handle(partlyRefunded(event.key, amount / 100, { taxes: own }));
        }
        await group.handle(returned(event.key, { amount: money((low + high) / 100), remainder: money(left / 100) }));
        const [invoice] = await allOf<Note>(group, `/invoices?orderId=${event.key}`);
        const notes = await notesOf(group, event.key);
        const summed = (permille: number, part: 'gross' | 'net' | 'tax') => {
          const lines = notes.flatMap(({ taxes = [] }) => taxes).filter((one) => one.permille === permille);
          return lines.reduce((sum, one) => sum + Math.round(100 * one[part]), 0) / 100;
        };
        const all = [60, 230].map((permille) => ({
          permille,
          gross: summed(permille, 'gross'),
          net: summed(permille, 'net'),
          tax: summed(permille, 'tax'),
        }));
        expect(all).toEqual(invoice?.taxes);
      }),
      { numRuns: 25 },
    );
  });
});

describe('a credit note for its customer', () => {
  const database = useDatabase('consumers');
  const credential = newCredential();
  const env = { SELLER: 'Tea & <b>Salt</b>', SELLER_TAX_NUMBER: 'PT <i>5</i>', INTERNAL_CREDENTIALS: credential };
  const group = database.open((url) => testGroup(url, 'invoice-group', { ORDER_URL: service.url, ...env }));
  const get = (path: string, headers: Record<string, string> = {}) =>
    request(group.app)
      .get(path)
      .set({ 'id-account': customerId, ...headers });
  const seller = { seller: 'Tea & <b>Salt</b>', sellerTaxNumber: 'PT <i>5</i>' };

  let orderId: string;
  let number: number;
  beforeEach(async () => {
    orders.deleted = 'none';
    const order = paid({ taxes });
    orderId = order.key;
    await group.handle(order, partlyRefunded(orderId, 2.75, { taxes: [{ permille: 230, gross: 2.75 }] }));
    number = (await group.prisma.creditNote.findFirstOrThrow({ where: { orderId } })).number as unknown as number;
  });

  const expected = () => ({
    number: Number(number),
    orderId,
    customerId,
    refundId: expect.any(String),
    invoiceNumber: expect.any(Number),
    amount: money(2.75),
    taxes: [{ permille: 230, gross: 2.75, net: 2.24, tax: 0.51 }],
    refundedAt: expect.any(String),
    createdAt: expect.any(String),
  });

  it('is in the list of its order and alone, with the seller', async () => {
    const list = await get(`/orders/${orderId}/credit-notes`).expect(200);
    expect(list.body).toEqual([expected()]);
    expect(list.headers).toMatchObject({ 'cache-control': 'no-store' });
    const { headers, body } = await get(`/orders/${orderId}/credit-notes/${number}`).expect(200);
    expect(body).toEqual({ ...expected(), ...seller });
    expect(headers).toMatchObject({ vary: 'Accept', 'cache-control': 'no-store' });
    const byOperator = { authorization: `Bearer ${credential}`, 'id-account': '' };
    const path = `/internal/orders/${orderId}/credit-notes/${number}`;
    expect((await get(path, byOperator).expect(200)).body).toEqual({ ...expected(), ...seller });
    await get(path).expect(403);
  });

  it('and its invoice are read by an operator or a key with orders:all, which is recorded, and by no customer', async () => {
    const bookkeeper = randomUUID();
    const paths = [`/store/orders/${orderId}/invoice`, `/store/orders/${orderId}/credit-notes`] as const;
    const byMachine = { 'id-account': bookkeeper, 'account-roles': 'operator', 'account-scopes': 'orders:all' };
    const invoice = await get(paths[0], byMachine).expect(200);
    expect(invoice.body).toMatchObject({ orderId, customerId, amount: money(12.75), ...seller });
    expect((await get(paths[1], byMachine).expect(200)).body).toEqual([expected()]);
    const looks = await group.prisma.audit.findMany({ where: { subject: orderId } });
    expect(looks).toMatchObject([{ actor: `account ${bookkeeper}`, kind: 'look', after: { at: 'order' } }]);

    for (const path of paths) await get(path.replace(orderId, randomUUID()), byMachine).expect(404);
    for (const path of paths) {
      await get(path).expect(403);
      await get(path, { 'account-roles': 'catalogue' }).expect(403);
      await get(path, { ...byMachine, 'account-scopes': 'orders:read' }).expect(403);
      await request(group.app).get(path).expect(401);
    }
  });

  it('is listed page by page', async () => {
    await group.handle(partlyRefunded(orderId, 1), partlyRefunded(orderId, 2));
    const first = await get(`/orders/${orderId}/credit-notes?size=2`).expect(200);
    expect(first.body.map(({ amount }: Note) => amount.amount)).toEqual([2.75, 1]);
    const [, next] = /<([^>]+)>/.exec(first.headers.link ?? '') ?? [];
    const second = await get(next ?? '').expect(200);
    expect(second.body.map(({ amount }: Note) => amount.amount)).toEqual([2]);
    expect(second.headers.link).toBeUndefined();
  });

  it('is not found by others, under another order, by a text that is no number, and after its order is deleted', async () => {
    const other = paid();
    await group.handle(other);
    const stranger = { 'id-account': randomUUID() };
    // The order service knows the caller's orders only; here it knows all.
    await get(`/orders/${orderId}/credit-notes`, stranger).expect(200, []);
    await get(`/orders/${orderId}/credit-notes/${number}`, stranger).expect(404);
    await get(`/orders/${other.key}/credit-notes`).expect(200, []);
    for (const guess of [`${other.key}/credit-notes/${number}`, `${randomUUID()}/credit-notes/${number}`])
      await get(`/orders/${guess}`).expect(404);
    for (const guess of ['0', '-1', '1.5', '1e1', '%00', '99999999999999999999', `${number}%20`])
      await get(`/orders/${orderId}/credit-notes/${guess}`).expect(404);
    orders.deleted = orderId;
    for (const path of [`/orders/${orderId}/credit-notes`, `/orders/${orderId}/credit-notes/${number}`])
      await get(path).expect(404);
    await request(group.app).get(`/orders/${orderId}/credit-notes`).expect(401);
  });

  it('is an HTML page for browsers, which loads and runs nothing', async () => {
    const accept = { accept: 'text/html,*/*;q=0.8' };
    const { headers, text } = await get(`/orders/${orderId}/credit-notes/${number}`, accept).expect(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-/),
    });
    const rate = '<td>23 %</td><td>2.24</td><td>0.51</td><td>2.75</td>';
    const parts = [`<h1>Credit note ${number}</h1>`, 'For invoice ', orderId, 'Returned, USD', rate];
    for (const part of [...parts, 'Tea &amp; &lt;b&gt;', 'Tax number: PT &lt;i&gt;5']) expect(text).toContain(part);
    expect(text).not.toMatch(/<[bi]>/);
  });

  it('is part of the export of the account, with its invoice', async () => {
    const { records } = (await get('/internal/account-data').expect(200)).body;
    const record = records.find((one: { orderId: string }) => one.orderId === orderId);
    expect(record).toMatchObject({ paymentId: expect.any(String), creditNotes: [expected()] });
  });
});
