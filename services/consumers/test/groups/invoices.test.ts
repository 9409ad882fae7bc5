import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { newCredential } from '../../../../tests/kit/credentials.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { customerId } from '../consumer/_fixture.ts';
import { allOf, paid, testGroup } from './_group.ts';
import { line, useOtherService } from './_other-service.ts';

const orders = { status: 200, deleted: '' };
const service = useOtherService((path) => ({
  status: path.includes(orders.deleted) ? 404 : orders.status,
  body: { items: [line] },
}));

/** The fields of the invoice of a payment that customers and operators see. */
function invoiceOf({ payload }: ReturnType<typeof paid>) {
  const { timestamp: paidAt, ...payment } = JSON.parse(payload);
  return { ...payment, paidAt, number: expect.any(Number), createdAt: expect.any(String) };
}

describe('invoices', () => {
  const database = useDatabase('consumers', 'each');
  const invoices = database.open((url) => testGroup(url, 'invoice-group'));
  const listed = (path: string) => allOf<{ number: number; orderId: string }>(invoices, path);

  it('are one for each order, even if events are repeated', async () => {
    const event = paid();
    await invoices.handle(event, event, paid({ orderId: event.key }));
    await invoices.handle(event);
    await invoices.handle(paid({ orderId: event.key }), paid());
    const all = await listed('/invoices?sort=number,asc');
    expect(all.map(({ number }) => number)).toEqual([1, 2]);
    expect(all[0]).toEqual({ ...invoiceOf(event), number: 1 });
  });

  it('are numbered without gaps despite rollbacks and concurrent writers', async () => {
    const other = testGroup(database.url, 'invoice-group');
    const broken = paid();
    const brokenToo = { ...broken, payload: broken.payload.replace('"USD"', '"US"') };
    // Fewer than the connections of the pool, because waiting too long for a connection is an error.
    const writers = (count: number, times: number, write: () => Promise<unknown>) =>
      Array.from({ length: count }, async () => {
        for (let time = 0; time < times; time += 1) await write();
      });
    const results = await Promise.allSettled([
      ...writers(5, 6, () => invoices.handle(paid(), paid(), paid())),
      ...writers(5, 6, () => other.handle(paid())),
      ...writers(2, 5, () =>
        other.prisma
          .$transaction(async (tx) => {
            await tx.$executeRaw`update invoice_counter set last_number = last_number + 1`;
            throw new Error('rolled back');
          })
          .catch(() => undefined),
      ),
      (async () => invoices.handle(brokenToo))(),
    ]);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    await other.close();
    const all = await listed('/invoices?size=17&sort=number,asc');
    expect(all.map(({ number }) => number)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
    expect(new Set(all.map(({ orderId }) => orderId)).size).toBe(120);
  });

  it('are listed newest first, by page number and by cursor', async () => {
    const events = Array.from({ length: 5 }, () => paid());
    await invoices.handle(...events); // One transaction numbers them in this order.
    const numbers = async (path: string) =>
      (await invoices.get(path)).body.content.map(({ number }: { number: number }) => number);
    expect(await numbers('/invoices?size=2')).toEqual([5, 4]);
    expect(await numbers('/invoices?size=2&page=2')).toEqual([1]);
    expect(await numbers('/invoices?size=2&page=3')).toEqual([]);
    const all = await listed('/invoices?size=2');
    expect(all.map(({ number }) => number)).toEqual([5, 4, 3, 2, 1]);
    expect(all.map(({ orderId }) => orderId).reverse()).toEqual(events.map(({ key }) => key));
  });
});

describe('an invoice for an operator', () => {
  const database = useDatabase('consumers');
  const credential = newCredential();
  const env = { SELLER: 'Tea Ltd.', INTERNAL_CREDENTIALS: credential };
  const invoices = database.open((url) => testGroup(url, 'invoice-group', env));
  const get = (path: string) => invoices.get(path).set('authorization', `Bearer ${credential}`);

  it('is found by its number, and has no lines, because only the order service has them', async () => {
    const [first, second] = [paid(), paid()];
    await invoices.handle(first, second);
    const { content } = (await get('/invoices?number=2').expect(200)).body;
    expect(content).toEqual([{ ...invoiceOf(second), number: 2 }]);
    expect((await get('/invoices?number=3').expect(200)).body.content).toEqual([]);
    for (const number of ['0', '1.5', 'x', '1e2']) await get(`/invoices?number=${number}`).expect(400);
    const { body } = await get(`/internal/orders/${second.key}/invoice`).expect(200);
    expect(body).toEqual({ ...invoiceOf(second), number: 2, seller: 'Tea Ltd.' });
    await get(`/internal/orders/${randomUUID()}/invoice`).expect(404);
    await invoices.get(`/internal/orders/${second.key}/invoice`).set('id-account', customerId).expect(403);
  });
});

describe('an invoice', () => {
  const database = useDatabase('consumers');
  const invoices = database.open((url) =>
    testGroup(url, 'invoice-group', { ORDER_URL: service.url, SELLER: 'Tea & <b>Salt</b>\n1 Market Street' }),
  );
  beforeEach(() => {
    Object.assign(orders, { status: 200, deleted: 'none' });
  });

  let event: ReturnType<typeof paid>;
  let orderId: string;
  beforeEach(async () => {
    event = paid();
    orderId = event.key;
    await invoices.handle(event);
  });

  const get = (orderId: string, headers: Record<string, string> = {}) =>
    request(invoices.app)
      .get(`/orders/${orderId}/invoice`)
      .set({ 'id-account': customerId, ...headers });

  it('is returned to its customer with the lines of the order and the seller', async () => {
    const { status, headers, body } = await get(orderId, { authorization: 'Bearer their.own.token' });
    expect(status).toBe(200);
    expect(headers).toMatchObject({ vary: 'Accept', 'cache-control': 'no-store' });
    expect(body).toEqual({ ...invoiceOf(event), seller: 'Tea & <b>Salt</b>\n1 Market Street', lines: [line] });
    expect(service.asked).toMatchObject([
      { headers: { 'id-account': customerId, authorization: 'Bearer their.own.token' } },
    ]);
  });

  it('is 404 before it exists, for other customers, and after its order is deleted', async () => {
    expect((await get(randomUUID())).status).toBe(404);
    expect((await get(orderId, { 'id-account': randomUUID() })).status).toBe(404);
    expect(service.asked).toEqual([]);
    orders.deleted = orderId;
    expect((await get(orderId)).status).toBe(404);
  });

  it('is 401 without an identity, and 503 without the order service', async () => {
    expect((await request(invoices.app).get(`/orders/${orderId}/invoice`)).status).toBe(401);
    for (const status of [500, 401, 400]) {
      orders.status = status;
      expect((await get(orderId)).status).toBe(503);
    }
  });

  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  it('is an HTML page for clients that prefer HTML, and the page loads and runs nothing', async () => {
    const { status, headers, text } = await get(orderId, { accept: browser });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      vary: 'Accept',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-/),
    });
    const row =
      '<td>Tea &lt;b&gt;of May&lt;/b&gt;<br><small>TEA&lt;1&gt;</small></td><td>3</td><td>4.25</td><td>12.75</td>';
    expect(text).toMatch(/Date: <time datetime="[^"]+">\d{4}-\d\d-\d\d<\/time> \(UTC\)/);
    for (const part of [orderId, row, 'Total, USD', '12.75']) expect(text).toContain(part);
    expect(text).toContain('<address>Tea &amp; &lt;b&gt;Salt&lt;/b&gt;\n1 Market Street</address>');
    expect(text).not.toContain('<b>');
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5'])
      expect((await get(orderId, { accept })).type).toBe('application/json');
  });

  it('is a problem if it does not exist, even for clients that prefer HTML', async () => {
    const { status, type } = await get(randomUUID(), { accept: browser });
    expect([status, type]).toEqual([404, 'application/problem+json']);
  });
});
