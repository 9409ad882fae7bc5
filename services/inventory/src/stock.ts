import type { ProductClient } from '@store/shared/contracts/product-client';
import { DomainError, found } from '@store/shared/values/errors';
import type { Preconditions, StockRepository } from './stock-repository.ts';

interface Dependencies {
  repository: StockRepository;
  products: ProductClient;
  /** Stock of a product when it is ordered for the first time (contract 4.9). */
  initialStock: number;
}

export type Stock = ReturnType<typeof createStock>;

/** This many ids take at most 10 MB; beyond that the set is cleared. */
const maxKnown = 100_000;

export function createStock({ repository, products, initialStock }: Dependencies) {
  /** Products that have a stock. They are looked up again only after a handler finds that their stock was lost. */
  const known = new Set<string>();

  return {
    /** The stock of each product, in the given order. A product that has no stock yet has the initial stock. */
    async all(productIds: string[], caller?: string): Promise<{ productId: string; available: number }[]> {
      const available = await repository.list(productIds, caller);
      return productIds.map((productId) => ({ productId, available: available.get(productId) ?? initialStock }));
    },

    async get(productId: string): Promise<number> {
      const available = await repository.available(productId);
      if (available !== undefined) return available;
      throw new DomainError(
        'notFound',
        `Product ${productId} has no stock yet: it has never been ordered, and its stock has never been set.`,
      );
    },

    /** @returns whether the product had no stock before */
    async set(actor: string, productId: string, available: number, preconditions: Preconditions): Promise<boolean> {
      const isSeen = (await repository.available(productId)) !== undefined;
      if (!isSeen) found((await products.find([productId])).get(productId), `product ${productId}`);
      return repository.set(actor, productId, available, preconditions);
    },

    /**
     * Gives products that have no stock yet their initial stock.
     * @returns ids that no product has
     */
    async addMissing(productIds: string[]): Promise<Set<string>> {
      const asked = [...new Set(productIds)].filter((id) => !known.has(id));
      if (asked.length === 0) return new Set();
      const seen = await repository.all(asked);
      if (known.size > maxKnown) known.clear();
      for (const id of seen.keys()) known.add(id);
      const unseen = asked.filter((id) => !seen.has(id));
      if (unseen.length === 0) return new Set();
      const existing = await products.find(unseen);
      const added = unseen.filter((id) => existing.has(id));
      if (added.length > 0) await repository.addMissing(added, initialStock);
      return new Set(unseen.filter((id) => !existing.has(id)));
    },

    /** Has products looked up again at the next call, because their stock was lost. */
    forget(productIds: string[]): void {
      for (const id of productIds) known.delete(id);
    },
  };
}
