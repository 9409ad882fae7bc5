import type { Query } from '@store/shared/database/query';
import type { PrismaClient } from './generated/client.ts';

export type StockRepository = ReturnType<typeof createStockRepository>;

export function createStockRepository(prisma: PrismaClient, query: Query) {
  return {
    /** Undefined for a product that was never seen here. */
    async available(productId: string): Promise<number | undefined> {
      return (await prisma.stock.findUnique({ where: { productId } }))?.available;
    },

    /** Those of the products that were seen here before. */
    async seen(productIds: string[]): Promise<Set<string>> {
      const sql = 'select product_id as id from stock where product_id = any($1::uuid[])';
      const rows = await query<{ id: string }>(sql, productIds);
      return new Set(rows.map(({ id }) => id));
    },

    /** In the order of their ids, as everybody who touches several products: so nobody waits in a circle. */
    async addMissing(productIds: string[], available: number): Promise<void> {
      await prisma.$executeRaw`
        insert into stock (product_id, available)
        select id, ${available}::int from unnest(${productIds}::uuid[]) as id order by id
        on conflict do nothing`;
    },

    /** Says whether the product is new here. */
    async set(productId: string, available: number): Promise<boolean> {
      const [row] = await prisma.$queryRaw<{ isNew: boolean }[]>`
        insert into stock (product_id, available) values (${productId}::uuid, ${available}::int)
        on conflict (product_id) do update set available = excluded.available
        returning xmax = 0 as "isNew"`;
      return row?.isNew === true;
    },
  };
}
