import type { Logger } from '@store/shared/observability/log';
import { DomainError } from '@store/shared/values/errors';
import { stringifyJson } from '@store/shared/values/json';
import type { AccountData } from './account-data-client.ts';
import { type AccountExportRepository, alreadyRunning } from './account-export-repository.ts';
import type { AccountRepository } from './account-repository.ts';
import { accountOf, toOut } from './accounts.ts';
import type { Customer } from './auth-client.ts';

interface Dependencies {
  repository: AccountRepository;
  exports: AccountExportRepository;
  /** By the name of their property in the export. */
  sources: Record<string, AccountData>;
  log: Logger;
}

/** Per process, because its memory and its event loop serve all customers. */
const maxPerProcess = 2;

export type ExportAccount = ReturnType<typeof createExport>;

export function createExport({ repository, exports, sources, log }: Dependencies) {
  /** Accounts with a running export in this process. */
  const running = new Set<string>();

  /** Begins an export and ends it when the signal aborts. @returns a function that makes the export count toward the daily limit */
  async function begin(id: string, ended: AbortSignal): Promise<() => void> {
    if (running.has(id)) throw alreadyRunning();
    if (running.size >= maxPerProcess) {
      const detail = 'Too many accounts are being exported. Try again shortly.';
      throw new DomainError('unavailable', detail, { code: 'overloaded', retryAfterSeconds: 5 });
    }
    running.add(id);
    try {
      await exports.begin(id);
    } catch (error) {
      running.delete(id);
      throw error;
    }
    let counts = false;
    const end = () =>
      exports
        .end(id, counts)
        .catch((err: unknown) => log.warn({ err }, 'An export still counts as running'))
        .finally(() => running.delete(id));
    if (ended.aborted) await end();
    else ended.addEventListener('abort', end, { once: true });
    return () => {
      counts = true;
    };
  }

  /**
   * Exports all data that the services store about an account, as one JSON object in pieces, because it may not fit in memory. Reads the
   * first page of each service before it returns, so an unavailable service is noticed before the answer begins.
   * @param ended aborts when the answer has been sent or its client is gone; this ends the export
   * @throws DomainError notFound, rateLimited or unavailable; the returned generator may throw unavailable
   */
  return async (customer: Customer, id: string, ended: AbortSignal): Promise<AsyncGenerator<string>> => {
    const account = await accountOf(repository, id, customer.accountId);
    const { confirmedAt } = account;
    const count = await begin(id, ended);
    const parts = await Promise.all(
      Object.entries(sources).map(async ([name, read]) => {
        const pages = read(customer, ended);
        return { name, first: await pages.next(), pages };
      }),
    );
    count();

    return (async function* () {
      yield `{"account":${stringifyJson({ ...toOut(account), confirmedAt: confirmedAt?.toISOString() ?? null })}`;
      for (const { name, first, pages } of parts) {
        yield `,${JSON.stringify(name)}:[`;
        let separator = '';
        for (let { value = '', done } = first; !done; { value = '', done } = await pages.next()) {
          if (value === '') continue;
          yield separator + value;
          separator = ',';
        }
        yield ']';
      }
      yield '}';
    })();
  };
}
