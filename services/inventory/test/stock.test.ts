import { randomUUID } from 'node:crypto';
import { unavailable } from '@store/shared/values/errors';
import request from 'supertest';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { blockedBy, whileCommitsFail } from '../../../tests/kit/postgres/transaction.ts';
import {
  alice,
  type Demanded,
  fakeOrders,
  fakeProducts,
  initialStock,
  orderOf,
  testInventory,
  unknown,
} from './_inventory.ts';

const database = useDatabase('inventory');
const inventory = database.open((url) => testInventory(url, { products, orders }));
const products = fakeProducts();
const orders = fakeOrders();

beforeEach(() => {
  products.asked = [];
  products.answer = async () => undefined;
  orders.answer = async () => undefined;
});

const get = (productId: string) => request(inventory.app).get(`/stock/${productId}`);
const put = (productId: string, available: number) =>
  request(inventory.app).put(`/stock/${productId}`).send({ available });
const isUnavailable = async () => {
  throw unavailable('The product service');
};

describe('/stock/{productId}', () => {
  it('creates, returns and changes the stock of a product', async () => {
    const tea = randomUUID();
    expect((await get(tea)).status).toBe(404);
    const seven = { productId: tea, available: 7 };
    expect(await put(tea, 7)).toMatchObject({ status: 201, headers: { location: `/stock/${tea}` }, body: seven });
    expect((await get(tea)).body).toEqual(seven);
    expect(await put(tea.toUpperCase(), 2)).toMatchObject({ status: 200, body: { productId: tea, available: 2 } });
    for (const order of [orderOf([tea, 2]), orderOf([tea, 1])]) await inventory.take(order.created());
    expect((await get(tea)).body.available).toBe(0);
    expect(products.asked).toEqual([[tea]]); // only while the product was new
  });

  it('records each change and its actor in the audit trail, but not those by orders', async () => {
    const tea = randomUUID();
    await put(tea, 7).set('operator-name', 'ann').expect(201);
    await inventory.take(orderOf([tea, 2]).created());
    await Promise.all([put(tea, 3), put(tea, 3)]);
    const { body } = await request(inventory.app).get(`/internal/audit?subject=${tea}`).expect(200);
    const [seven, five, three] = [7, 5, 3].map((available) => ({ productId: tea, available }));
    expect(body).toMatchObject([
      { actor: 'operator', kind: 'stock', subject: tea, before: three, after: three },
      { before: five, after: three },
      { actor: 'operator ann', before: null, after: seven },
    ]);
  });

  it('records no change in the audit trail if its transaction fails at its end', async () => {
    const [tea, salt] = [randomUUID(), randomUUID()];
    await put(tea, 7).expect(201);
    await whileCommitsFail(database.url, 'stock', async () => {
      for (const id of [tea, salt]) await put(id, 3).expect(500);
    });
    expect([await inventory.available(tea), await inventory.available(salt)]).toEqual([7, undefined]);
    for (const [id, entries] of [
      [tea, 1],
      [salt, 0],
    ] as const)
      expect((await request(inventory.app).get(`/internal/audit?subject=${id}`)).body).toHaveLength(entries);
  });

  it('needs the role catalogue through the gateway, and records the account in the audit trail', async () => {
    const tea = randomUUID();
    const by = (roles: string) => ({ 'id-account': alice, 'account-roles': roles, 'operator-name': 'ann' });
    for (const roles of ['operator', 'catalogues', '']) {
      const refused = await put(tea, 7).set(by(roles)).expect(403);
      expect(refused.body.detail).toContain('the role catalogue');
      await get(tea).set(by(roles)).expect(403);
    }
    await put(tea, 7).set(by('catalogue')).expect(201);
    await get(tea).set(by('catalogue,operator')).expect(200);
    const key = { ...by('catalogue'), 'account-scopes': 'products:write' };
    await put(tea, 8).set(key).expect(403);
    await put(tea, 8)
      .set({ ...key, 'account-scopes': 'stock:write' })
      .expect(200);
    const { body } = await request(inventory.app).get(`/internal/audit?subject=${tea}`).expect(200);
    expect(body.map(({ actor }: { actor: string }) => actor)).toEqual([`account ${alice}`, `account ${alice}`]);
  });

  it('is set only if it is still in the state that the caller has seen', async () => {
    const tea = randomUUID();
    await put(tea, 7).set('if-match', '*').expect(412);
    await put(tea, 7).set('if-none-match', '*').expect(201);
    await put(tea, 8).set('if-none-match', '*').expect(412);
    const seen = (await get(tea)).headers.etag ?? '';
    await get(tea).set('if-none-match', seen).expect(304);
    await inventory.take(orderOf([tea, 2]).created());
    await put(tea, 9).set('if-match', seen).expect(412);
    await put(tea, 5).set('if-none-match', `"other", ${seen}`).expect(200);
    expect(await inventory.available(tea)).toBe(5);
    await put(tea, 9)
      .set('if-match', (await get(tea)).headers.etag ?? '')
      .expect(200);
  });

  it('accepts one of many writes that have seen the same state', async () => {
    const tea = randomUUID();
    await put(tea, 7).expect(201);
    const seen = (await get(tea)).headers.etag ?? '';
    const hold = 'select from stock where product_id = $1 for update';
    const answers = await blockedBy(database.url, hold, [tea], 8, () =>
      Promise.all(Array.from({ length: 8 }, (_, n) => put(tea, 10 + n).set('if-match', seen))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)]);
    expect(await inventory.available(tea)).toBe(answers.find(({ status }) => status === 200)?.body.available);
  });

  it('returns 404 for a product that the product service does not know', async () => {
    await put(unknown, 7).expect(404);
    await get(unknown).expect(404);
  });

  it('changes known products and returns 503 for new ones while the product service is unavailable', async () => {
    const tea = randomUUID();
    await put(tea, 7).expect(201);
    products.answer = isUnavailable;
    await put(tea, 8).expect(200);
    const response = await put(randomUUID(), 8);
    expect([response.status, response.headers['retry-after']]).toEqual([503, '1']);
  });
});

describe('GET /products/availability', () => {
  const get = (ids: string[]) => request(inventory.app).get(`/products/availability?id=${ids.join('&id=')}`);

  it('returns each product once, in the order of the request, without reserved pieces', async () => {
    const [tea, salt, unseen] = [await inventory.setStock(5), await inventory.setStock(0), randomUUID()];
    await inventory.take(orderOf([tea, 2]).created());
    const { headers, body } = await get([salt.toUpperCase(), unseen, tea, salt]);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual([
      { productId: salt, available: 0 },
      { productId: unseen, available: initialStock },
      { productId: tea, available: 3 },
    ]);
  });

  it('returns up to 100 products, and 400 for more or none', async () => {
    const ids = Array.from({ length: 101 }, () => randomUUID());
    expect((await get(ids.slice(1))).body).toHaveLength(100);
    for (const refused of [ids, [], ['tea']]) expect((await get(refused)).status).toBe(400);
  });
});

describe('order with new products', () => {
  it('gives them their initial stock and asks the product service once', async () => {
    const [tea, salt] = [randomUUID(), randomUUID()];
    await inventory.take(orderOf([tea, 10], [salt, 1]).created());
    await inventory.take(orderOf([salt, 1], [tea, 10]).created());
    expect(await inventory.available(tea)).toBe(initialStock - 20);
    expect(await inventory.available(salt)).toBe(initialStock - 2);
    expect(products.asked).toEqual([[tea, salt]]);
  });

  it('is rejected with its reason, reserves nothing and becomes a dead letter if a product no longer exists', async () => {
    const tea = await inventory.setStock(10);
    const order = orderOf([tea, 11], [unknown, 3]);
    orders.know(order);
    const event = order.created();
    // Twice, because the process may have ended before it wrote the dead letter.
    for (const _ of ['first', 'second']) {
      const reason = `There is no product ${unknown}: the order was rejected.`;
      expect(await inventory.take(event)).toEqual([{ result: 'dead', attempts: 1, reason }]);
    }
    const [missing, gone] = [
      { productId: tea, quantity: 1 },
      { productId: unknown, quantity: 3 },
    ];
    expect(await inventory.eventsOf(order.orderId)).toMatchObject([
      { kind: 'StockRejected', payload: { items: [missing, gone], reason: 'product no longer exists' } },
    ]);
    expect(await inventory.available(tea)).toBe(10);
    expect(await inventory.available(unknown)).toBeUndefined();
    expect(await inventory.statusOf(order.orderId)).toBe('REJECTED');
  });

  it('waits while the order service is unavailable, and is only poison if that service does not know the order', async () => {
    const order = orderOf([unknown, 3]);
    orders.answer = isUnavailable;
    await expect(inventory.take(order.created())).rejects.toMatchObject({ kind: 'unavailable' });
    orders.answer = async () => undefined;
    const message = `There is no product ${unknown}, and no order ${order.orderId}.`;
    await expect(inventory.take(order.created())).rejects.toMatchObject({ name: 'PoisonError', message });
    expect([await inventory.statusOf(order.orderId), await inventory.kindsOf(order.orderId)]).toEqual([undefined, []]);
  });

  it('changes nothing and makes no dead letter if it was cancelled before', async () => {
    const order = orderOf([unknown, 3]);
    await inventory.take(order.cancelled());
    expect(await inventory.take(order.created())).toEqual([{ result: 'processed' }]);
    expect([await inventory.statusOf(order.orderId), await inventory.kindsOf(order.orderId)]).toEqual(['RELEASED', []]);
  });

  it('gets the initial stock again if the row of the stock was lost', async () => {
    const tea = randomUUID();
    await inventory.take(orderOf([tea, 1]).created());
    await inventory.take(orderOf([tea, 1]).created());
    await inventory.prisma.stock.delete({ where: { productId: tea } });
    const order = orderOf([tea, 3]);
    const event = order.created();
    // The consumer retries an unavailable event without end.
    await expect(inventory.take(event)).rejects.toMatchObject({ kind: 'unavailable' });
    await inventory.take(event);
    expect(await inventory.kindsOf(order.orderId)).toEqual(['StockReserved']);
    expect(await inventory.available(tea)).toBe(initialStock - 3);
  });

  it('waits if the row is lost while the order is handled', async () => {
    const tea = await inventory.setStock(10);
    const order = orderOf([tea, 3], [unknown, 1]);
    orders.know(order);
    const event = order.created();
    products.answer = async () => void (await inventory.prisma.stock.deleteMany({ where: { productId: tea } }));
    await expect(inventory.take(event)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await inventory.statusOf(order.orderId)).toBeUndefined();
  });

  it('waits while the product service is unavailable, but not once all products are known', async () => {
    const tea = randomUUID();
    const order = orderOf([tea, 1]);
    products.answer = isUnavailable;
    const event = order.created();
    await expect(inventory.take(event)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await inventory.available(tea)).toBeUndefined();
    products.answer = async () => undefined;
    await inventory.take(event);
    products.answer = isUnavailable;
    await inventory.take(orderOf([tea, 1]).created());
    await inventory.take(order.cancelled());
    expect(await inventory.available(tea)).toBe(initialStock - 1);
  });

  it('may contain 250 new products', async () => {
    const order = orderOf(...Array.from({ length: 250 }, (): Demanded => [randomUUID(), 1]));
    await inventory.take(order.created());
    expect(await inventory.statusOf(order.orderId)).toBe('RESERVED');
  });
});
