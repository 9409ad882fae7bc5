import { type Caller, mustBeWriter, type Writers } from '@store/shared/contracts/writers';
import { DomainError } from '@store/shared/values/errors';
import type { ProductRepository } from './product-repository.ts';
import type { ProductChange, ProductIn, ProductQuery } from './schemas.ts';

interface Dependencies {
  repository: ProductRepository;
  writers: Writers;
  newId: () => string;
}

export type Products = ReturnType<typeof createProducts>;

export function createProducts({ repository, writers, newId }: Dependencies) {
  function found<T>(product: T | undefined, id: string): T {
    if (product === undefined) throw new DomainError('notFound', `There is no product ${id}.`);
    return product;
  }
  /** @param ifMatch the state that the caller has seen; undefined for any */
  const set = async (id: string, product: ProductChange, ifMatch?: string) =>
    found(await repository.update({ id, ...product }, ifMatch), id);

  return {
    list: (query: ProductQuery) => repository.list(query),
    categories: () => repository.categories(),
    get: async (id: string) => found(await repository.find(id), id),
    async create(caller: Caller, product: ProductIn) {
      mustBeWriter(writers, caller);
      return repository.insert({ id: newId(), ...product });
    },
    async replace(caller: Caller, id: string, product: ProductChange, ifMatch?: string) {
      mustBeWriter(writers, caller);
      return set(id, product, ifMatch);
    },
    /** For operators, whoever may write otherwise. */
    set,
    async remove(caller: Caller, id: string, ifMatch?: string) {
      mustBeWriter(writers, caller);
      found((await repository.remove(id, ifMatch)) || undefined, id);
    },
  };
}
