import { DomainError } from '@store/shared/values/errors';
import type { ProductRepository } from './product-repository.ts';
import type { ProductChange, ProductIn, ProductQuery } from './schemas.ts';

interface Dependencies {
  repository: ProductRepository;
  /** Accounts that may write (contract 4.4): their ids, in lower case. */
  writers: 'everybody' | string[];
  newId: () => string;
}

export type Products = ReturnType<typeof createProducts>;

export function createProducts({ repository, writers, newId }: Dependencies) {
  function mustBeWriter(accountId: string) {
    if (writers === 'everybody' || writers.includes(accountId)) return;
    throw new DomainError('forbidden', 'Your account may not change products.');
  }
  function found<T>(product: T | undefined, id: string): T {
    if (product === undefined) throw new DomainError('notFound', `There is no product ${id}.`);
    return product;
  }
  /** @param ifMatch the state that the caller has seen; undefined for any */
  const set = async (id: string, product: ProductChange, ifMatch?: string) =>
    found(await repository.update({ id, ...product }, ifMatch), id);

  return {
    list: (query: ProductQuery) => repository.list(query),
    get: async (id: string) => found(await repository.find(id), id),
    async create(accountId: string, product: ProductIn) {
      mustBeWriter(accountId);
      return repository.insert({ id: newId(), ...product });
    },
    async replace(accountId: string, id: string, product: ProductChange, ifMatch?: string) {
      mustBeWriter(accountId);
      return set(id, product, ifMatch);
    },
    /** For operators, whoever may write otherwise. */
    set,
    async remove(accountId: string, id: string, ifMatch?: string) {
      mustBeWriter(accountId);
      found((await repository.remove(id, ifMatch)) || undefined, id);
    },
  };
}
