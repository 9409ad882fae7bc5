import { maxActors } from '@store/shared/contracts/audit';
import { operatorActor } from '@store/shared/values/audit';
import { uuid } from '@store/shared/values/fields';
import { accountNames, findAccounts } from '../accounts/accounts.ts';
import type { Services } from '../services-client.ts';

const actorPattern = /^(account|operator) ([0-9a-f-]{36})$/;

/**
 * Finds whom the audit trail has by a person's id, name or address: accounts, as customers and as operators, and those who have typed it
 * beside the shared token or on a command line.
 * @returns actors, of the 20 newest accounts at most, and whether there are more
 */
export async function actorsOf(services: Services, operator: string, person: string) {
  const { accounts, next } = await findAccounts(services, operator, person);
  const ids = new Set([...accounts.map(({ id }) => id), ...[uuid.safeParse(person).data ?? []].flat()]);
  const actors = Array.from(ids, (id) => [`account ${id}`, operatorActor(id)]).flat();
  const typed = [operatorActor(person), operatorActor(`${person} (shared token)`)];
  return { actors: [...new Set([...actors, ...typed])].slice(0, maxActors), areMore: next !== null };
}

/** The account of an actor, if it is one. */
export const accountIn = (actor: string): string | null => actorPattern.exec(actor)?.[2] ?? null;

/** Finds the names of the operators among actors, by their ids. */
export function namesOf(services: Services, actors: string[]): Promise<Map<string, string>> {
  const operators = actors.filter((actor) => actor.startsWith('operator ')).map(accountIn);
  return accountNames(
    services,
    operators.filter((id) => id !== null),
  );
}
