import type pg from 'pg';
import type { Logger } from '../observability/log.ts';
import { backoff, sleep } from '../values/time.ts';
import { createClient } from './connection.ts';

/** How often the connection is asked for a sign of life, and how long that may take. */
const heartbeatMs = 1_000;
const longestPauseMs = 1_000;

interface FollowerOptions {
  databaseUrl: string;
  /** Channel of PostgreSQL's LISTEN and NOTIFY. */
  channel: string;
  /** Reads everything; called whenever notifications may have been missed. What is notified meanwhile arrives, too. */
  load: () => Promise<unknown>;
  /** Called with the payload of each notification. Must not throw. */
  onNotification: (payload: string) => void;
}

export type Follower = ReturnType<typeof createFollower>;

/**
 * Keeps in memory what other processes write: loads it, and hears of every change by a connection of its own that listens
 * first, so that no change falls between the two. A connection that broke, or does not answer for a second, is replaced,
 * and everything is loaded again.
 */
export function createFollower(options: FollowerOptions) {
  const state = { isLoaded: false, isCurrent: false };
  return {
    /** Tells whether everything has been loaded at least once. */
    isLoaded: () => state.isLoaded,
    /** Tells whether nothing can have been missed for longer than two seconds. */
    isCurrent: () => state.isCurrent,
    start(log: Logger) {
      const stopping = new AbortController();
      const ended = run(options, state, stopping.signal, log.child({ channel: options.channel }));
      return {
        async stop() {
          stopping.abort();
          await ended;
        },
      };
    },
  };
}

async function run(
  { databaseUrl, channel, load, onNotification }: FollowerOptions,
  state: { isLoaded: boolean; isCurrent: boolean },
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    const client = connectionFor(databaseUrl);
    const lost = new AbortController();
    const lose = () => lost.abort();
    client.on('error', lose).on('end', lose);
    client.on('notification', ({ payload }) => onNotification(payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      await load();
      if (failures > 0) log.info('Notifications are heard again');
      failures = 0;
      state.isLoaded = true;
      state.isCurrent = true;
      const either = AbortSignal.any([signal, lost.signal]);
      while (!signal.aborted) {
        await sleep(heartbeatMs, either);
        await client.query('select 1');
      }
    } catch (error) {
      if (failures === 0 && !signal.aborted) log.warn({ err: error }, 'Notifications are not heard');
      failures += 1;
    } finally {
      state.isCurrent = false;
      await client.end().catch(() => undefined);
    }
    await sleep(backoff(failures, { firstMs: 20, maxMs: longestPauseMs }), signal);
  }
}

function connectionFor(databaseUrl: string): pg.Client {
  return createClient({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 2_000,
    query_timeout: heartbeatMs,
    keepAlive: true,
    application_name: 'follower',
  });
}
