import { createStore, type Order } from '@store-platform/client';
import { newCustomer, newProduct } from '../../kit/customer.ts';
import { createSend } from '../../kit/http.ts';
import { queryOnce } from '../../kit/postgres/database.ts';
import { sharedStore } from '../_shared-store.ts';
import { until } from '../_store.ts';

// A warehouse's system, with the client and an API key of an operator.

const store = sharedStore();
const send = createSend(store.gatewayUrl);

it('a warehouse follows the orders of all customers and ships one, which a customer cannot do', async () => {
  const [ada, olga] = [await newCustomer(send), await newCustomer(send)];
  const authorization = `Bearer ${store.credential}`;
  const roles = { roles: ['operator'] };
  const path = `/internal/accounts/${olga.accountId}/roles`;
  expect((await createSend(store.url('auth'))('PUT', path, roles, { authorization })).status).toBe(200);
  const keyOf = async (scopes: string[], { send } = olga) => {
    const { status, body } = await send('POST', '/auth/keys', { name: 'Warehouse', scopes });
    return { status, client: createStore({ url: store.gatewayUrl, apiKey: body.key ?? 'none' }) };
  };
  for (const scope of ['orders:all', 'orders:ship']) expect((await keyOf([scope], ada)).status).toBe(403);
  const { client: warehouse } = await keyOf(['orders:all', 'orders:ship']);
  const { client: reader } = await keyOf(['orders:read']);

  let position: string | undefined;
  /** Reads on from the last position. */
  async function changed(): Promise<Map<string, Order>> {
    const orders = new Map<string, Order>();
    const query = { limit: 100, ...(position !== undefined && { changedAfter: position }) };
    for await (const { content, next } of warehouse.pages('listStoreOrders', { query })) {
      for (const order of content) orders.set(order.id, order);
      position = next;
    }
    return orders;
  }
  await changed();
  const items = [{ productId: await newProduct(ada), quantity: 1 }];
  const { body: placed } = await ada.send('POST', '/orders', { items });
  const { id } = placed;
  await until('the warehouse sees the order', async () => (await changed()).get(id)?.status === 'PENDING');
  // As the order-worker would, which this store does not have.
  const pay = `update orders set status = 'CONFIRMED', paid_at = now(), updated_at = now() where id = '${id}'`;
  await queryOnce(store.databaseUrl('order'), pay);
  await until('the warehouse sees that it is paid', async () => (await changed()).get(id)?.status === 'CONFIRMED');
  for (const customer of [ada, await newCustomer(send)]) {
    expect((await customer.send('POST', `/orders/${id}/shipments`, {})).status).toBe(403);
    expect((await customer.send('GET', '/store/orders')).status).toBe(403);
    expect((await customer.send('GET', `/store/orders/${id}`)).status).toBe(403);
  }
  await expect(reader.shipOrder({ path: { id }, body: {} })).rejects.toMatchObject({ status: 403 });
  await expect(reader.listShipments({ path: { id } })).rejects.toMatchObject({ status: 404 });
  await expect(reader.listStoreOrders()).rejects.toMatchObject({ status: 403 });

  const parcel = { carrier: 'CTT Expresso', trackingNumber: 'DB1', trackingUrl: 'https://www.ctt.pt/track?id=DB1' };
  const shipment = await warehouse.shipOrder({ path: { id }, body: parcel });
  expect(shipment).toMatchObject({ orderId: id, ...parcel });
  expect((await changed()).get(id)).toMatchObject({ shipment: parcel, shippedAt: shipment.shippedAt });
  expect((await ada.send('GET', `/orders/${id}`)).body.shipment).toEqual(parcel);
  expect((await ada.send('GET', `/orders/${id}/shipments`)).body).toEqual([shipment]);
  expect((await ada.send('POST', `/orders/${id}/cancellation`)).body.type).toBe('urn:problem:store:order-shipped');
  expect(await warehouse.getStoreOrder({ path: { id } })).toMatchObject({ id, shipment: parcel });
});
