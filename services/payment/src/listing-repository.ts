import type { Database } from '@store/shared/database/database';
import { sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import type { PrismaClient } from './generated/client.ts';

export type ListingRepository = ReturnType<typeof createListingRepository>;

/** How far what has happened at a provider was listed. One replica lists it at a time. */
export const createListingRepository = ({ run }: Pick<Database<PrismaClient>, 'run'>) => ({
  /** @param seconds after which another replica may take the turn @returns undefined if it is not due */
  async takeTurn(provider: string, seconds: number): Promise<{ cursor: string | null } | undefined> {
    const [turn] = await run<{ cursor: string | null }>(sql`
      insert into provider_listings (provider, turn_until) values (${provider}, now() + ${seconds}::int * interval '1 s')
      on conflict (provider) do update set turn_until = excluded.turn_until where provider_listings.turn_until <= now()
      returning cursor`);
    return turn;
  },
});

/** Ends a turn. @param seconds until the next one is due */
export function endTurn({ send }: Transaction, provider: string, cursor: string, seconds: number): void {
  send(sql`
    update provider_listings set cursor = ${cursor}, turn_until = now() + ${seconds}::int * interval '1 s'
    where provider = ${provider}`);
}
