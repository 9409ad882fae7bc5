import { stockJson } from '@store/shared/contracts/stock';
import { recordChange } from '@store/shared/database/audit';
import type { Database } from '@store/shared/database/database';
import { type Statements, sql } from '@store/shared/database/sql';
import { entityTag, mustMatch, mustNotMatch, type preconditionHeaders } from '@store/shared/http/precondition';
import type { z } from 'zod';
import type { PrismaClient } from './generated/client.ts';

/** The state that the caller requires. */
export type Preconditions = z.output<typeof preconditionHeaders>;

export type StockRepository = ReturnType<typeof createStockRepository>;

export function createStockRepository({ prisma, run, lists, transactionOf }: Database<PrismaClient>) {
  async function availableOn(on: Statements, productIds: string[]): Promise<Map<string, number>> {
    const rows = await on.run<{ productId: string; available: number }>(sql`
      select product_id as "productId", available from stock where product_id = any(${productIds}::uuid[])`);
    return new Map(rows.map((row) => [row.productId, row.available]));
  }

  return {
    /** Undefined if the product has no stock yet. */
    async available(productId: string): Promise<number | undefined> {
      const stock = await prisma.stock.findUnique({ where: { productId }, select: { available: true } });
      return stock?.available;
    },

    /** Available pieces by product id, without products that have no stock yet. */
    all: (productIds: string[]) => availableOn({ run }, productIds),

    /**
     * The same on the connections of lists and in turn per caller, so that visitors take none from the saga, and no visitor
     * takes all of them.
     */
    list: (productIds: string[], caller: string | undefined) =>
      lists.inTurn(caller, () => availableOn(lists, productIds)),

    /** Inserts in order of id. All code that locks several products uses this order, so there are no deadlocks. */
    async addMissing(productIds: string[], available: number): Promise<void> {
      await run(sql`
        insert into stock (product_id, available)
        select id, ${available}::int from unnest(${productIds}::uuid[]) as id order by id
        on conflict do nothing`);
    },

    /**
     * Sets a stock if it meets the preconditions, and records the change in the audit trail.
     * @returns whether the product had no stock before
     */
    set(actor: string, productId: string, available: number, preconditions: Preconditions): Promise<boolean> {
      return transactionOf(actor, async (tx) => {
        const added = await tx.run(sql`
          insert into stock (product_id, available) values (${productId}::uuid, ${available})
          on conflict do nothing returning 1`);
        const isNew = added.length === 1;
        const [known] = isNew
          ? []
          : await tx.run<{ available: number }>(
              sql`select available from stock where product_id = ${productId}::uuid for update`,
            );
        const before = known && stockJson(productId, known);
        const current = before && entityTag(before);
        mustMatch(preconditions['if-match'], current);
        mustNotMatch(preconditions['if-none-match'], current);
        if (!isNew) await tx.stock.update({ where: { productId }, data: { available } });
        const after = stockJson(productId, { available });
        recordChange(tx, { actor, kind: 'stock', subject: productId, before, after });
        return isNew;
      });
    },
  };
}
