import type { Logger } from '@store/shared/observability/log';
import type { LetterOut, ResultOut } from '@store/shared/service/dead-letters/schemas';
import { messageOf } from '@store/shared/values/errors';
import type { Services } from '../services-client.ts';

const path = '/internal/dead-letters';
/** Services read the whole topic for each list: whoever looks shares one that is at most this old. */
const keptMs = 4_000;

export interface GroupLetters {
  service: string;
  group?: string;
  total?: number;
  letters: LetterOut[];
  /** Why there is no list. */
  problem?: string;
}

interface Selection {
  ids: string[];
  dryRun: boolean;
}

interface Entry {
  letterId: string;
  eventId: string | null;
  outcome: string;
  reason: string | null;
  requestedBy: string;
  at: string;
}

export type DeadLetters = ReturnType<typeof createDeadLetters>;

/** The dead letters of all groups, by the services that handle them (contract 4.13). */
export function createDeadLetters(services: Services, names: string[], log: Logger) {
  let kept: { at: number; groups: Promise<GroupLetters[]> } | undefined;

  const listOf = async (service: string): Promise<GroupLetters> => {
    try {
      const list = (await services.get(service, path)) as { group: string; total: number; letters: LetterOut[] };
      return { service, ...list };
    } catch (error) {
      return { service, letters: [], problem: messageOf(error) };
    }
  };

  async function decide(decision: 'redrive' | 'discard', service: string, body: Selection & { by: string }) {
    const answer = (await services.post(service, `${path}/${decision}`, body).finally(() => {
      kept = undefined;
    })) as { group: string; results: ResultOut[] };
    if (!body.dryRun) {
      const { group, results } = answer;
      const outcomes = results.map(({ id, outcome }) => `${id} ${outcome}`);
      log.info({ by: body.by, decision, group, outcomes }, 'Dead letters were decided');
    }
    return answer;
  }

  return {
    list(): Promise<GroupLetters[]> {
      if (kept === undefined || performance.now() - kept.at > keptMs) {
        const groups = Promise.all(names.map(listOf));
        kept = { at: Number.POSITIVE_INFINITY, groups };
        const own = kept;
        groups.finally(() => {
          own.at = performance.now();
        });
      }
      return kept.groups;
    },

    /** Of all groups, the latest entry first; what a service did not answer is missing and named. */
    async audit() {
      const problems: string[] = [];
      const lists = await Promise.all(
        names.map(async (service) => {
          try {
            const { group, entries } = (await services.get(service, `${path}/audit`)) as {
              group: string;
              entries: Entry[];
            };
            return entries.map((entry) => ({ group, ...entry }));
          } catch (error) {
            problems.push(messageOf(error));
            return [];
          }
        }),
      );
      return { entries: lists.flat().sort((a, b) => b.at.localeCompare(a.at)), problems };
    },

    redrive: (service: string, by: string, selection: Selection) => decide('redrive', service, { ...selection, by }),
    discard: (service: string, by: string, selection: Selection & { reason: string }) =>
      decide('discard', service, { ...selection, by }),
  };
}
