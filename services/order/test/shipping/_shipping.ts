import { sql } from '@store/shared/database/sql';
import request from 'supertest';
import { alice, as, testApp } from '../_app.ts';

/** An operator. */
export const olga = '01ca0000-3a52-4d0f-9f0e-0d8a55a1c003';
export const asOperator = { 'id-account': olga, 'account-roles': 'operator' };

export const parcel = {
  carrier: 'CTT Expresso',
  trackingNumber: 'DB 123/456',
  trackingUrl: 'https://www.ctt.pt/track?id=DB123456',
};

/** The service with orders that are paid. */
export function openShipping(url: string, options: Parameters<typeof testApp>[1] = {}) {
  const order = testApp(url, options);
  const customer = as(alice, order);
  const placedAt = new Date(Date.now() - 3_600_000);
  return {
    ...order,
    customer,
    /** Inserts orders that were paid an hour ago. @returns their ids */
    async paid(count: number, accountId = alice, status = 'CONFIRMED'): Promise<string[]> {
      const paidAt = status === 'CONFIRMED' ? placedAt : null;
      const rows = await order.database.run<{ id: string }>(sql`
        insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at, paid_at)
        select gen_random_uuid(), ${accountId}::uuid, ${status}, 1, 'USD', ${placedAt}::timestamptz, ${placedAt}::timestamptz,
               ${paidAt}::timestamptz
        from generate_series(1, ${count}::int) returning id`);
      return rows.map(({ id }) => id);
    },
    async onePaid(accountId = alice): Promise<string> {
      const [id = ''] = await this.paid(1, accountId);
      return id;
    },
    ship: (id: string, body: object = parcel, headers: object = {}) =>
      request(order.app)
        .post(`/orders/${id}/shipments`)
        .set({ ...asOperator, ...headers })
        .send(body),
    shipments: (id: string, headers: Record<string, string> = asOperator, suffix = '') =>
      request(order.app).get(`/orders/${id}/shipments${suffix}`).set(headers),
    byAnn: (method: 'get' | 'post', path: string) =>
      request(order.app)[method](`/internal/orders${path}`).set('operator-name', 'ann'),
    changesOf: async (subject: string) =>
      (await order.prisma.audit.findMany({ where: { subject }, orderBy: { id: 'asc' } })).map(
        ({ actor, kind, after }) => ({ actor, kind, after }),
      ),
  };
}
