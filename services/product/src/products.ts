import { DomainError } from '@store/shared/values/errors';
import type { ProductRepository } from './product-repository.ts';
import type { ProductIn, ProductQuery } from './schemas.ts';

interface Dependencies {
  repository: ProductRepository;
  /** Account ids that may write; empty: every account (contract 4.4). */
  writers: string[];
  newId: () => string;
}

export type Products = ReturnType<typeof createProducts>;

export function createProducts({ repository, writers, newId }: Dependencies) {
  function mustBeWriter(accountId: string) {
    if (writers.length === 0 || writers.includes(accountId)) return;
    throw new DomainError('forbidden', 'Your account may not change products.');
  }
  function found<T>(product: T | undefined, id: string): T {
    if (product === undefined) throw new DomainError('notFound', `There is no product ${id}.`);
    return product;
  }

  return {
    list: (query: ProductQuery) => repository.list(query),
    get: async (id: string) => found(await repository.find(id), id),
    async create(accountId: string, product: ProductIn) {
      mustBeWriter(accountId);
      return repository.insert({ id: newId(), ...product });
    },
    async replace(accountId: string, id: string, product: ProductIn) {
      mustBeWriter(accountId);
      return found(await repository.update({ id, ...product }), id);
    },
    async remove(accountId: string, id: string) {
      mustBeWriter(accountId);
      found((await repository.remove(id)) || undefined, id);
    },
  };
}
