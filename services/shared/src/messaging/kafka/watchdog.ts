import type { Logger } from '../../observability/log.ts';
import { answerTimeoutSeconds } from './broker-socket.ts';

/** The watchdog's view of a consumer or publisher. */
export interface Watched {
  name: string;
  /** When it began to wait for an answer of the broker, by `performance.now()`; undefined if it expects none. */
  waitingSince(): number | undefined;
  /** Starts over with a new client. */
  renew(): void;
}

interface WatchdogOptions {
  watched: Watched[];
  /** Resolves if the broker answers a separate client. */
  probe(): Promise<unknown>;
  /** Called if a new client has not helped: the process must end, to be restarted. */
  onUnanswered(name: string): void;
  log: Logger;
  probeEveryMs?: number;
}

/** A minute in which the broker answered every probe. */
const probesUntilRenewal = 4;
const probesUntilGivenUp = 2 * probesUntilRenewal;

/**
 * Renews a client that has had no answer for a minute while the broker answered others, and calls `onUnanswered` if that
 * has not helped after another minute. While the broker answers nobody, it does nothing, because restarting all
 * processes would not bring the broker back.
 */
export function startWatchdog({
  watched,
  probe,
  onUnanswered,
  log,
  probeEveryMs = answerTimeoutSeconds * 1_000,
}: WatchdogOptions) {
  /** The number of consecutive probes that were answered while this client had no answer. */
  const missed = new Map<Watched, number>();
  let timer = setTimeout(check, probeEveryMs);
  let isStopped = false;

  async function check(): Promise<void> {
    const since = performance.now() - probeEveryMs;
    const isWaiting = (one: Watched) => (one.waitingSince() ?? Number.POSITIVE_INFINITY) < since;
    const waiting = watched.filter(isWaiting);
    const isAnswered =
      waiting.length > 0 &&
      (await probe().then(
        () => true,
        () => false,
      ));
    if (isStopped) return;
    for (const one of watched) {
      const probes = isAnswered && waiting.includes(one) && isWaiting(one) ? (missed.get(one) ?? 0) + 1 : 0;
      missed.set(one, probes);
      if (probes === probesUntilRenewal) {
        log.warn({ client: one.name }, 'The broker answers others; a client without answers is replaced');
        one.renew();
      } else if (probes === probesUntilGivenUp) onUnanswered(one.name);
    }
    if (!isStopped) timer = setTimeout(check, probeEveryMs);
  }

  return {
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
