import { coalesce } from '../values/coalesce.ts';
import { sleep } from '../values/time.ts';
import { type Run, sql } from './sql.ts';

/** Further commits within this time share a notification. */
const gatherMs = 10;

/** Wakes a listener in this process. @returns false if it does not serve the channel at the moment */
type Wake = () => boolean;

export type Notifier = ReturnType<typeof createNotifier>;

/**
 * Wakes processes that LISTEN on a channel, after a commit. A NOTIFY inside the transaction would make its commit wait until all
 * other notifying transactions, in any database of the server, are on disk (decisions/0022). A notification may be lost, so
 * listeners also poll from time to time.
 */
export function createNotifier(run: Run) {
  const listeners = new Map<string, Wake>();
  const sendGathered = new Map<string, ReturnType<typeof senderFor>>();

  const senderFor = (channel: string) =>
    coalesce<undefined, void>(async () => {
      // A transaction that only notifies need not wait for the disk.
      await run(sql`select set_config('synchronous_commit', 'off', true), pg_notify(${channel}, '')::text`);
      await sleep(gatherMs);
    });

  return {
    notify(channel: string): void {
      if (listeners.get(channel)?.()) return;
      const send = sendGathered.get(channel) ?? senderFor(channel);
      sendGathered.set(channel, send);
      send(undefined).catch(() => undefined);
    },

    /** Registers a listener of this process, to be woken without a notification while it serves the channel. */
    wakeDirectly(channel: string, wake: Wake): void {
      listeners.set(channel, wake);
    },
  };
}
