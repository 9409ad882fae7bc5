import type { discardIn, redriveIn } from '@store/shared/contracts/dead-letters';
import type { Logger } from '@store/shared/observability/log';
import { messageOf } from '@store/shared/values/errors';
import { within } from '@store/shared/values/time';
import type { z } from 'zod';
import { accountNames, accountsIn, nameIn } from '../accounts/accounts.ts';
import { collecting, late, maxWaitMs, readMs, type Services } from '../services-client.ts';
import { anyLetters, anyResults, anyTrail, type GroupLetters } from './schemas.ts';

const path = '/internal/dead-letters';
/** Services read the whole topic for each list: whoever looks shares one that is at most this old. */
const keptMs = 4_000;
/** Decisions that the page has. */
const mostShown = 100;
/** Since nobody has looked. */
const forgottenMs = 60_000;

interface Kept {
  /** When it was answered. */
  at: number;
  answer: Promise<GroupLetters>;
  /** The last answer that was a list; before there is one, a group of the service's name without letters. */
  last: GroupLetters;
}

type Decided = z.output<typeof redriveIn> | z.output<typeof discardIn>;

export type DeadLetters = ReturnType<typeof createDeadLetters>;

/** The dead letters of all groups, by the services that handle them (contract 4.13). */
export function createDeadLetters(services: Services, names: string[], log: Logger) {
  const kept = new Map<string, Kept>();

  /** A service that reads a long topic is asked once, and may be late for those who wait for it. */
  function reading(service: string, query: string): Kept {
    for (const [key, { at }] of kept) if (performance.now() - at > forgottenMs) kept.delete(key);
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
    /** Lists all; of a service that does not answer within that time, what it answered before is listed, and why. */
    list: (withinMs = readMs): Promise<GroupLetters[]> =>
      Promise.all(names.map((service) => listOf(service, withinMs))),

    /** All of an order, with what was decided about them. */
    ofOrder: (orderId: string, withinMs: number): Promise<GroupLetters[]> =>
      Promise.all(names.map((service) => listOf(service, withinMs, `?orderId=${orderId}`))),

    /** Returns the audit trail of all groups, the latest entry first; what a service did not answer is missing and named. */
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
