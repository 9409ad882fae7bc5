import { type AuditEntryOut, auditEntryOut } from '@store/shared/contracts/audit';
import { stringifyJson } from '@store/shared/values/json';
import { z } from 'zod';
import { collecting, type Services } from '../services-client.ts';
import { accountIn, actorsOf, namesOf } from './people.ts';

const pageSize = 50;
const entries = z.array(auditEntryOut);

interface Asked {
  /** Id of the last entry shown from each service, such as `product:12,auth:7`. */
  after?: string | undefined;
  /** Beginning of the id of the changed record. */
  subject?: string | undefined;
  /** Id, name or e-mail address of the actor. */
  person?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

type State = AuditEntryOut['before'];

/** Merges the audit trails of all services, latest entry first. Services that do not answer are named; their entries appear later. */
export async function readAudit(services: Services, audited: string[], operator: string, asked: Asked) {
  const { after, person, ...filters } = asked;
  const { or, problems } = collecting();
  const people = person === undefined ? undefined : await actorsOf(services, operator, person);
  if (people?.areMore) problems.push('More accounts match than are shown. Enter the whole e-mail address or the id.');
  const given = Object.entries(filters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const actors = (people?.actors ?? []).map((actor): [string, string] => ['actor', actor]);
  const shown = new Map(after?.split(',').map((pair) => pair.split(':') as [string, string]));
  const trails = await Promise.all(
    audited.map(async (service) => {
      const query = new URLSearchParams([['size', String(pageSize)], ...given, ...actors]);
      const last = shown.get(service);
      if (last !== undefined) query.set('after', last);
      const trail = await or([], services.get(service, `/internal/audit?${query}`, entries));
      return trail.map((entry) => ({ service, ...entry }));
    }),
  );
  const changes = [];
  while (changes.length < pageSize) {
    const [latest] = trails.filter(({ length }) => length > 0).sort(([a], [b]) => (a && b && a.at > b.at ? -1 : 1));
    const entry = latest?.shift();
    if (entry === undefined) break;
    const { id, service, before, after, ...rest } = entry;
    shown.set(service, id);
    changes.push({ ...rest, id: `${service}:${id}`, fields: differences(before, after) });
  }
  const found = changes.map(({ actor }) => actor);
  const names = await or(new Map<string, string>(), namesOf(services, found));
  const next = changes.length < pageSize ? null : Array.from(shown, (pair) => pair.join(':')).join();
  const named = changes.map((change) => {
    const accountId = accountIn(change.actor);
    return { ...change, accountId, name: accountId === null ? null : (names.get(accountId) ?? null) };
  });
  return { changes: named, next, problems };
}

/** The fields that differ, as text; numbers keep all their digits. */
function differences(before: State, after: State) {
  const names = new Set([before, after].flatMap((state) => Object.keys(state ?? {})));
  const fields = Array.from(names, (name) => ({ name, before: textOf(before?.[name]), after: textOf(after?.[name]) }));
  return fields.filter((field) => field.before !== field.after);
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : stringifyJson(value);
}
