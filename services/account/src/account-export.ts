import { stringifyJson } from '@store/shared/values/json';
import type { AccountData } from './account-data-client.ts';
import type { AccountRepository } from './account-repository.ts';
import { accountOf, toOut } from './accounts.ts';
import type { Customer } from './auth-client.ts';

interface Dependencies {
  repository: AccountRepository;
  /** By the name of their part of the export. */
  sources: Record<string, AccountData>;
}

export type ExportAccount = ReturnType<typeof createExport>;

/**
 * Exports everything that the services keep about an account, as one JSON object in pieces, since it may be more than memory holds. The
 * first page of each service is read before the first piece is made, so that one that is away is noticed in time.
 * @returns a function that throws DomainError notFound or unavailable, as do the pieces
 */
export const createExport =
  ({ repository, sources }: Dependencies) =>
  async (customer: Customer, id: string): Promise<AsyncGenerator<string>> => {
    const account = await accountOf(repository, id, customer.accountId);
    const { confirmedAt } = account;
    const parts = await Promise.all(
      Object.entries(sources).map(async ([name, read]) => {
        const pages = read(customer);
        return { name, first: await pages.next(), pages };
      }),
    );

    return (async function* () {
      yield `{"account":${stringifyJson({ ...toOut(account), confirmedAt: confirmedAt?.toISOString() ?? null })}`;
      for (const { name, first, pages } of parts) {
        yield `,${JSON.stringify(name)}:[`;
        let separator = '';
        for (let { value = [], done } = first; !done; { value = [], done } = await pages.next()) {
          if (value.length === 0) continue;
          yield separator + value.map(stringifyJson).join();
          separator = ',';
        }
        yield ']';
      }
      yield '}';
    })();
  };
