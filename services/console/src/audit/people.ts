import { maxActors } from '@store/shared/contracts/audit';
import { accountOfActor, operatorActor } from '@store/shared/values/audit';
import { uuid } from '@store/shared/values/fields';
import { accountNames, findAccounts } from '../accounts/accounts.ts';
import type { Services } from '../services-client.ts';

/**
 * Finds the actors of the audit trail by a person's id, name or address: accounts, as customers and as operators, and people who typed
 * that name with the shared token or on a command line.
 * @returns actors of at most the 20 newest accounts, and whether there are more accounts
 */
export async function actorsOf(services: Services, operator: string, person: string) {
  const { accounts, next } = await findAccounts(services, operator, person);
  const ids = new Set([...accounts.map(({ id }) => id), ...[uuid.safeParse(person).data ?? []].flat()]);
  const actors = Array.from(ids, (id) => [`account ${id}`, operatorActor(id)]).flat();
  const typed = [operatorActor(person), operatorActor(`${person} (shared token)`)];
  return { actors: [...new Set([...actors, ...typed])].slice(0, maxActors), areMore: next !== null };
}

/** Id of the actor's account; null if the actor is not an account. */
export const accountIn = (actor: string): string | null => accountOfActor(actor)?.accountId ?? null;

/** Returns the names of the operators among the actors, by account id. */
export function namesOf(services: Services, actors: string[]): Promise<Map<string, string>> {
  const operators = actors.filter((actor) => actor.startsWith('operator ')).map(accountIn);
  return accountNames(
    services,
    operators.filter((id) => id !== null),
  );
}
