import { createClient } from '@store/shared/database/connection';
import type { Logger } from '@store/shared/observability/log';
import { loop } from '@store/shared/values/loop';
import type pg from 'pg';

/** Interval of the heartbeat query on the connection, and its time-out. */
const heartbeatMs = 1_000;
const retry = { firstMs: 20, maxMs: 1_000 };

interface FollowerOptions {
  /** Shown as what the process waits for until the first load succeeds. */
  name: string;
  databaseUrl: string;
  /** Channel of PostgreSQL's LISTEN and NOTIFY. */
  channel: string;
  /** Reads everything. Called whenever notifications may have been missed. Notifications sent during a load are also delivered. */
  load: () => Promise<unknown>;
  /** Called with the payload of each notification. Must not throw. */
  onNotification: (payload: string) => void;
}

export type Follower = ReturnType<typeof createFollower>;

/**
 * Keeps data that other processes write in memory. It listens for changes on its own connection before it loads everything, so no
 * change is lost in between. If the connection breaks or does not answer for a second, the follower reconnects and loads everything
 * again.
 */
export function createFollower({ name, databaseUrl, channel, load, onNotification }: FollowerOptions) {
  const state = { isLoaded: false, isCurrent: false };
  return {
    /** Whether everything has been loaded at least once. */
    isLoaded: () => state.isLoaded,
    /** False if the data may be more than two seconds old. */
    isCurrent: () => state.isCurrent,
    start(logOfJob: Logger) {
      const log = logOfJob.child({ channel });
      let client: pg.Client | undefined;
      let isBroken = false;

      async function connect(): Promise<void> {
        const wake = () => following.wake();
        client = connectionFor(databaseUrl);
        client.on('error', wake).on('end', wake);
        client.on('notification', ({ payload }) => onNotification(payload ?? ''));
        await client.connect();
        await client.query(`listen ${channel}`);
        await load();
        if (isBroken) log.info('Listening for notifications again');
        isBroken = false;
        state.isLoaded = true;
        state.isCurrent = true;
      }
      async function disconnect(): Promise<void> {
        state.isCurrent = false;
        await client?.end().catch(() => undefined);
        client = undefined;
      }
      async function follow(): Promise<void> {
        try {
          if (client === undefined) await connect();
          else await client.query('select 1');
        } catch (error) {
          await disconnect();
          throw error;
        }
      }
      const following = loop({ name: channel, everyMs: heartbeatMs, retry, failed }, follow).start(log);
      function failed(error: unknown): void {
        if (!isBroken) log.warn({ err: error }, 'Cannot listen for notifications');
        isBroken = true;
      }
      return {
        name,
        waitingFor: () => (state.isLoaded ? undefined : name),
        async stop() {
          await following.stop();
          await disconnect();
        },
      };
    },
  };
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
