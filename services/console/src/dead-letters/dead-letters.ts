import type { discardIn, redriveIn } from '@store/shared/contracts/dead-letters';
import type { Logger } from '@store/shared/observability/log';
import { messageOf } from '@store/shared/values/errors';
import { within } from '@store/shared/values/time';
import type { z } from 'zod';
import { accountNames, accountsIn, nameIn } from '../accounts/accounts.ts';
import { collecting, late, maxWaitMs, readMs, type Services } from '../services-client.ts';
import { anyLetters, anyResults, anyTrail, type GroupLetters } from './schemas.ts';

const path = '/internal/dead-letters';
/** Services read the whole topic for each list, so operators share a list that is at most this old. */
const keptMs = 4_000;
/** Decisions on the page. */
const mostShown = 100;
/** A list is dropped this long after its answer. */
const dropAfterMs = 60_000;

interface Kept {
  /** When the answer came. */
  at: number;
  answer: Promise<GroupLetters>;
  /** The last answer with a list; before the first, a group named after the service, without letters. */
  last: GroupLetters;
}

type Decided = z.output<typeof redriveIn> | z.output<typeof discardIn>;

export type DeadLetters = ReturnType<typeof createDeadLetters>;

/** The dead letters of all groups, by the services that handle them (contract 4.13). */
export function createDeadLetters(services: Services, names: string[], log: Logger) {
  const kept = new Map<string, Kept>();

  /** Asks a service only once while it reads a long topic. Its answer may come too late for callers that wait. */
  function reading(service: string, query: string): Kept {
    for (const [key, { at }] of kept) if (performance.now() - at > dropAfterMs) kept.delete(key);
    const key = `${service} ${query}`;
    const before = kept.get(key);
    if (before !== undefined && performance.now() - before.at <= keptMs) return before;
    const own: Kept = {
      at: Number.POSITIVE_INFINITY,
      last: before?.last ?? { service, group: service, total: 0, letters: [] },
      answer: services.get(service, `${path}${query}`, anyLetters, { timeoutMs: maxWaitMs }).then(
        (list) => {
          own.last = { service, ...list };
          return own.last;
        },
        (error) => ({ ...own.last, problem: messageOf(error) }),
      ),
    };
    own.answer.finally(() => {
      own.at = performance.now();
    });
    kept.set(key, own);
    return own;
  }

  function listOf(service: string, withinMs: number, query = ''): Promise<GroupLetters> {
    const { answer, last } = reading(service, query);
    return within(withinMs, answer, () => ({ ...last, problem: late(service, withinMs).message }));
  }

  async function decide(decision: 'redrive' | 'discard', service: string, body: Decided) {
    const sent = { body, timeoutMs: maxWaitMs };
    const deciding = services.call('POST', service, `${path}/${decision}`, anyResults, sent);
    const { body: answer } = await deciding.finally(() => {
      for (const key of kept.keys()) if (key.startsWith(`${service} `)) kept.delete(key);
    });
    if (!body.dryRun) {
      const { group, results } = answer;
      const outcomes = results.map(({ id, outcome }) => `${id} ${outcome}`);
      log.info({ by: body.by, decision, group, outcomes }, 'Dead letters were decided');
    }
    return answer;
  }

  return {
    /** Lists all. A service that does not answer in time is listed with its previous answer and the reason. */
    list: (withinMs = readMs): Promise<GroupLetters[]> =>
      Promise.all(names.map((service) => listOf(service, withinMs))),

    /** All dead letters of an order, with the decisions about them. */
    ofOrder: (orderId: string, withinMs: number): Promise<GroupLetters[]> =>
      Promise.all(names.map((service) => listOf(service, withinMs, `?orderId=${orderId}`))),

    /** Returns the audit trail of all groups, latest entry first, and names the services that did not answer. */
    async audit() {
      const { or, problems } = collecting();
      const read = async (service: string) => {
        const { group, entries } = await services.get(service, `${path}/audit`, anyTrail);
        return entries.map((entry) => ({ group, ...entry }));
      };
      const entries = (await Promise.all(names.map((service) => or([], read(service))))).flat();
      const latest = entries.sort((a, b) => b.at.localeCompare(a.at)).slice(0, mostShown);
      const operators = accountsIn(latest.map(({ requestedBy }) => requestedBy));
      const known = await or(new Map<string, string>(), accountNames(services, operators));
      return {
        entries: latest.map((entry) => ({ ...entry, requestedBy: nameIn(entry.requestedBy, known) })),
        problems,
      };
    },

    decide,
  };
}
