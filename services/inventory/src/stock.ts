import { DomainError } from '@store/shared/values/errors';
import type { ProductClient } from './product-client.ts';
import type { StockRepository } from './stock-repository.ts';

interface Dependencies {
  repository: StockRepository;
  products: ProductClient;
  /** decisions 5: of a product that is seen for the first time. */
  initialStock: number;
}

export type Stock = ReturnType<typeof createStock>;

/** So many ids take 10 MB at the most; then it begins anew. */
const mostRemembered = 100_000;

export function createStock({ repository, products, initialStock }: Dependencies) {
  /** Products that have a stock: it is never taken away again, so that nobody need ask twice. */
  const known = new Set<string>();

  return {
    async get(productId: string): Promise<number> {
      const available = await repository.available(productId);
      if (available !== undefined) return available;
      throw new DomainError('notFound', `No order and no stock of product ${productId} has been seen yet.`);
    },

    /** Says whether the product is new here. */
    async set(productId: string, available: number): Promise<boolean> {
      const isSeen = (await repository.available(productId)) !== undefined;
      if (!isSeen && !(await products.existing([productId])).has(productId)) {
        throw new DomainError('notFound', `There is no product ${productId}.`);
      }
      return repository.set(productId, available);
    },

    /** Gives products that were never seen here their first stock; returns those that do not exist. */
    async introduce(productIds: string[]): Promise<string[]> {
      const asked = productIds.filter((id) => !known.has(id));
      if (asked.length === 0) return [];
      const seen = await repository.seen(asked);
      if (known.size > mostRemembered) known.clear();
      for (const id of seen) known.add(id);
      const unseen = asked.filter((id) => !seen.has(id));
      if (unseen.length === 0) return [];
      const existing = await products.existing(unseen);
      const added = unseen.filter((id) => existing.has(id));
      if (added.length > 0) await repository.addMissing(added, initialStock);
      return unseen.filter((id) => !existing.has(id));
    },
  };
}
