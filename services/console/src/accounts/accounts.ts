import { foundAccountOut, lockOut, rolesOut, shownSessionsOut } from '@store/shared/contracts/account';
import { apiKeyOut } from '@store/shared/contracts/api-key';
import { DomainError } from '@store/shared/values/errors';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { collecting, type Services } from '../services-client.ts';
import type { shownAccountOut } from './schemas.ts';

export const internal = '/internal/accounts';
const foundOut = z.array(foundAccountOut);
const namesOut = z.array(z.object({ id: uuid, name: z.string() }));

/** Finds accounts by a part of their name, address or id, 20 at a time. */
export async function findAccounts(services: Services, operator: string, sought: string, after?: string) {
  const query = new URLSearchParams({ q: sought, ...(after !== undefined && { after }) });
  const { body, next } = await services.call('GET', 'account', `${internal}?${query}`, foundOut, { operator });
  return { accounts: body, next: next ?? null };
}

/** Finds the names of accounts, by their ids. */
export async function accountNames(
  services: Services,
  ids: Iterable<string>,
  asked?: Parameters<Services['get']>[3],
): Promise<Map<string, string>> {
  const query = Array.from(new Set(ids), (id) => `id=${id}`).join('&');
  if (query === '') return new Map();
  const names = await services.get('account', `/internal/account-names?${query}`, namesOut, asked);
  return new Map(names.map(({ id, name }) => [id, name]));
}

const idPattern = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;

/** Ids of accounts in actors such as `operator <id>` or just `<id>`. */
export const accountsIn = (actors: string[]): string[] => actors.flatMap((actor) => actor.match(idPattern) ?? []);

/** Replaces the id of an account with its name, if known. */
export const nameIn = (actor: string, names: ReadonlyMap<string, string>): string =>
  actor.replace(idPattern, (id) => names.get(id) ?? id);

/** Returns what the services know about an account. @throws DomainError notFound */
export async function showAccount(
  services: Services,
  operator: string,
  id: string,
): Promise<z.output<typeof shownAccountOut>> {
  const { or, problems } = collecting();
  const ask = <T>(path: string, schema: z.ZodType<T>) =>
    or(null, services.get('auth', `${internal}/${id}/${path}`, schema, { operator }));
  const [found, owned, lock, sessions, keys] = await Promise.all([
    or(null, services.get('account', `${internal}?id=${id}`, foundOut, { operator })),
    ask('roles', rolesOut),
    ask('lock', lockOut),
    ask('sessions', shownSessionsOut),
    ask('keys', z.array(apiKeyOut)),
  ]);
  const account = found === null ? null : found[0];
  if (account === undefined) throw new DomainError('notFound', `There is no account ${id}.`);
  const { roles = null } = owned ?? {};
  const { lockedAt = null } = lock ?? {};
  return { id, account, roles, lockedAt, sessions, keys, problems };
}
