import { DomainError } from '@store/shared/values/errors';

/** contract 2.5 */
const maxPerAccount = 10;

export interface StreamLimits {
  /** Limit of the process. */
  max: number;
  /** 0: any number. */
  maxPerAddress: number;
}

interface Held {
  session: { accountId: string };
  /** The client's; undefined if it did not come through the gateway. */
  address: string | undefined;
}

/** The open streams of a process, and who has how many of them. */
export function createOpenStreams<Stream extends Held>({ max, maxPerAddress }: StreamLimits) {
  const all = new Set<Stream>();
  const byAccount = new Map<string, Set<Stream>>();
  /** By address where that has a share: accounts cost nothing. */
  const byHolder = maxPerAddress > 0 ? new Map<string, Set<Stream>>() : byAccount;

  const keysOf = ({ session: { accountId }, address }: Stream) =>
    [
      [byAccount, accountId],
      [byHolder, maxPerAddress > 0 && address !== undefined ? address : accountId],
    ] as const;

  /**
   * Finds the oldest stream of whoever has most, if that is more than the holder of a new one will have: so each that gives way
   * makes the shares more equal, and cannot take its place back from another one.
   */
  function oldestOfMost(held: number): Stream | undefined {
    let largest = new Set<Stream>();
    for (const some of byHolder.values()) if (some.size > largest.size) largest = some;
    return largest.size > held + 1 ? largest.values().next().value : undefined;
  }

  function tooMany(limit: number, whose: string): DomainError {
    const detail = `At most ${limit} streams of ${whose} can be open. Close one, or try again later.`;
    return new DomainError('rateLimited', detail, { code: 'too-many-streams', retryAfterSeconds: 10 });
  }

  return {
    all: (): Iterable<Stream> => all,
    has: (stream: Stream): boolean => all.has(stream),
    count: (): number => all.size,
    ofAccount: (accountId: string): ReadonlySet<Stream> | undefined => byAccount.get(accountId),

    /**
     * @returns the stream that has to give way to it
     * @throws DomainError rateLimited or unavailable beyond the limits
     */
    add(stream: Stream): Stream | undefined {
      const keys = keysOf(stream);
      const [ofAccount = 0, ofHolder = 0] = keys.map(([map, key]) => map.get(key)?.size);
      if (ofAccount >= maxPerAccount) throw tooMany(maxPerAccount, 'an account');
      if (maxPerAddress > 0 && ofHolder >= maxPerAddress) throw tooMany(maxPerAddress, 'a client address');
      const oldest = all.size < max ? undefined : oldestOfMost(ofHolder);
      if (all.size >= max && oldest === undefined)
        throw new DomainError('unavailable', 'Too many streams are open. Try again shortly.', { code: 'overloaded' });
      for (const [map, key] of keys) map.set(key, (map.get(key) ?? new Set()).add(stream));
      all.add(stream);
      return oldest;
    },

    /** @returns whether it was there */
    delete(stream: Stream): boolean {
      if (!all.delete(stream)) return false;
      for (const [map, key] of keysOf(stream)) {
        map.get(key)?.delete(stream);
        if (map.get(key)?.size === 0) map.delete(key);
      }
      return true;
    },
  };
}
