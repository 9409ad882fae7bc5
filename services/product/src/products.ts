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
  /** @param by as the audit trail has it */
  const writing = (by: string) => ({
    async create(product: ProductIn) {
      const id = newId();
      return { id, json: await repository.insert(by, id, product) };
    },
    /** @param ifMatch the state that the caller has seen; undefined for any */
    replace: async (id: string, product: ProductChange, ifMatch?: string) =>
      found(await repository.update(by, id, product, ifMatch), id),
    async remove(id: string, ifMatch?: string) {
      found(await repository.remove(by, id, ifMatch), id);
    },
  });

  return {
    list: (query: ProductQuery) => repository.list(query),
    categories: () => repository.categories(),
    get: async (id: string) => found(await repository.find(id), id),
    /** @throws DomainError forbidden */
    asWriter(caller: Caller & { actor: string }) {
      mustBeWriter(writers, caller);
      return writing(caller.actor);
    },
    /** For operators, whoever may write otherwise. */
    asOperator: writing,
  };
}
