import { stockJson } from '@store/shared/contracts/stock';
import { recordChange } from '@store/shared/database/audit';
import type { Database } from '@store/shared/database/database';
import { entityTag, mustMatch, mustNotMatch, type preconditionHeaders } from '@store/shared/http/precondition';
import { type Kysely, sql } from 'kysely';
import type { z } from 'zod';
import type { PrismaClient } from './generated/client.ts';
import type { DB } from './generated/tables.ts';

/** The state that a caller has seen. */
export type Required = z.output<typeof preconditionHeaders>;

export type StockRepository = ReturnType<typeof createStockRepository>;

export function createStockRepository(prisma: PrismaClient, { kysely, lists, transactionOf }: Database<DB>) {
  async function availableOn(on: Kysely<DB>, productIds: string[]): Promise<Map<string, number>> {
    const rows = await on
      .selectFrom('stock')
      .select(['product_id', 'available'])
      .where('product_id', '=', sql<string>`any(${productIds}::uuid[])`)
      .execute();
    return new Map(rows.map((row) => [row.product_id, row.available]));
  }

  return {
    /** Undefined for a product that was never seen here. */
    async available(productId: string): Promise<number | undefined> {
      return (await prisma.stock.findUnique({ where: { productId } }))?.available;
    },

    /** Reads what is available of those that were seen here before. */
    all: (productIds: string[]) => availableOn(kysely, productIds),

    /** The same as lists are read, so that visitors take no connection from the saga, nor one of them all from the others. */
    list: (productIds: string[], caller: string | undefined) =>
      lists.inTurn(caller, () => availableOn(lists.kysely, productIds)),

    /** In the order of their ids, as everyone who locks several products: so there are no deadlocks. */
    async addMissing(productIds: string[], available: number): Promise<void> {
      const data = [...productIds].sort().map((productId) => ({ productId, available }));
      await prisma.stock.createMany({ data, skipDuplicates: true });
    },

    /**
     * Sets a stock in the state that the caller has seen, with its entry in the audit trail.
     * @returns whether the product is new here
     */
    set(actor: string, productId: string, available: number, required: Required): Promise<boolean> {
      return transactionOf(actor, async (tx) => {
        const { numInsertedOrUpdatedRows: added } = await tx
          .insertInto('stock')
          .values({ product_id: productId, available })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow();
        const isNew = added === 1n;
        const ofProduct = tx.selectFrom('stock').select('available').where('product_id', '=', productId);
        const before = isNew ? undefined : stockJson(productId, await ofProduct.forUpdate().executeTakeFirstOrThrow());
        const current = before && entityTag(before);
        mustMatch(required['if-match'], current);
        mustNotMatch(required['if-none-match'], current);
        if (!isNew) await tx.updateTable('stock').set({ available }).where('product_id', '=', productId).execute();
        const after = stockJson(productId, { available });
        await recordChange(tx, { actor, kind: 'stock', subject: productId, before, after });
        return isNew;
      });
    },
  };
}
