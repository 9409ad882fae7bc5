import type pg from 'pg';
import { outboxChannel } from './append.ts';

/** Relays that divide keys differently must not publish together: a release with another number needs another lock. */
export const shareCount = 8;
/**
 * Any constant. Every relay holds this lock in shared mode, so that relays can be counted. One of a release before shares
 * wants it exclusively: it stands by while there are others, and they while it is active.
 */
const relayLock = 7_310_002;
/** The notification that shares were given back. */
export const sharesAreFree = 'shares';

/** SQL: the share of a row of the outbox. */
export const shareOfRow = `hashtextextended(key, 0) & ${shareCount - 1}`;

const shares = Array.from({ length: shareCount }, (_, share) => share);

const countRelays = `
  select count(*)::int from pg_locks
  where locktype = 'advisory' and (classid, objid, objsubid) = (0, ${relayLock}, 1) and mode = 'ShareLock' and granted
    and database = (select oid from pg_database where datname = current_database())`;

export interface Look {
  relays: number;
  /** Shares that this relay holds beyond its part. */
  surplus: number;
  /** True if an event of any share waits. */
  hasUnsent: boolean;
}

export type Shares = ReturnType<typeof createShares>;

/** The shares of the outbox that a relay holds, by advisory locks that end with its connection (contract 6.5). */
export function createShares(client: pg.Client) {
  let held: number[] = [];
  /** Those of other relays, and free ones. */
  const others = () => shares.filter((share) => !held.includes(share));

  return {
    others,
    held: () => held.length,

    /**
     * Counts this relay among those that share the outbox.
     * @returns false while a relay of a release before shares is active, or any at all if this one gives way
     */
    async join(givesWay: boolean): Promise<boolean> {
      const { rows } = await client.query<{ joined: boolean }>(
        `select case when $1 and (${countRelays}) > 0 then false else pg_try_advisory_lock_shared(${relayLock}) end as joined`,
        [givesWay],
      );
      return rows[0]?.joined === true;
    },

    /** Takes free shares up to this relay's part. What their last holder has marked is seen from the next statement on. */
    async look(): Promise<Look> {
      const { rows } = await client.query<{ relays: number; hasUnsent: boolean; taken: number[] }>({
        name: 'look',
        // "order by" makes PostgreSQL use the index of what is unsent, however much it believes that to be.
        text: `
          select relays, (select seq from outbox where sent_at is null order by seq limit 1) is not null as "hasUnsent",
            array(
              select share from unnest($1::int[]) as share where pg_try_advisory_lock(${relayLock}, share)
              limit greatest(cardinality($1) - ${shareCount} + ceil(${shareCount}::float / relays)::int, 0)
            ) as taken
          from (${countRelays}) as present(relays)`,
        values: [others()],
      });
      const { relays, hasUnsent, taken } = rows[0] ?? { relays: 1, hasUnsent: false, taken: [] };
      held = [...held, ...taken];
      return { relays, surplus: Math.max(held.length - Math.ceil(shareCount / relays), 0), hasUnsent };
    },

    /** Another relay may publish their events at once: none of them may be in flight, or published and not marked. */
    async giveBack(count: number): Promise<void> {
      const given = held.slice(-count);
      held = held.slice(0, -count);
      await client.query(
        `select pg_advisory_unlock(${relayLock}, share), pg_notify('${outboxChannel}', '${sharesAreFree}')
         from unnest($1::int[]) as share`,
        [given],
      );
    },

    /** Gives everything back and is counted no more. */
    async leave(): Promise<void> {
      await client.query(`select pg_advisory_unlock_all(), pg_notify('${outboxChannel}', '${sharesAreFree}')`);
    },
  };
}
