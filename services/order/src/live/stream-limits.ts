import { DomainError } from '@store/shared/values/errors';

/** contract 2.5 */
const maxPerAccount = 10;

export interface StreamLimits {
  /** Limit of the process. */
  max: number;
  /** 0: any number. */
  maxPerAddress: number;
}

interface Limited {
  session: { accountId: string };
  /** The client's; undefined if it did not come through the gateway. */
  address: string | undefined;
}

/** Streams by whose they are. Nothing takes longer the more there are: a client may open and close streams in a loop. */
function createGroups<Stream>(keyOf: (stream: Stream) => string) {
  const groups = new Map<string, Set<Stream>>();
  /** The keys that have so many streams, which are few at most. */
  const bySize: Set<string>[] = [];
  function move(key: string, from: number, to: number): void {
    bySize[from]?.delete(key);
    bySize[to] ??= new Set();
    bySize[to].add(key);
  }
  return {
    sizeOf: (stream: Stream): number => groups.get(keyOf(stream))?.size ?? 0,
    add(stream: Stream): void {
      const key = keyOf(stream);
      const group = groups.get(key) ?? new Set();
      groups.set(key, group.add(stream));
      move(key, group.size - 1, group.size);
    },
    delete(stream: Stream): void {
      const key = keyOf(stream);
      const group = groups.get(key);
      if (!group?.delete(stream)) return;
      move(key, group.size + 1, group.size);
      if (group.size > 0) return;
      groups.delete(key);
      bySize[0]?.delete(key);
    },
    /** The streams of the key that has most, the oldest first. */
    largest(): Set<Stream> | undefined {
      const keys = bySize.findLast(({ size }) => size > 0);
      const [key] = keys ?? [];
      return key === undefined ? undefined : groups.get(key);
    },
  };
}

/** The open streams of a process, the oldest first, and who may open another one. */
export function createOpenStreams<Stream extends Limited>({ max, maxPerAddress }: StreamLimits) {
  const open = new Set<Stream>();
  const byAccount = createGroups<Stream>(({ session }) => session.accountId);
  const bySource = createGroups<Stream>((stream) => (maxPerAddress > 0 && stream.address) || stream.session.accountId);

  function remove(stream: Stream): boolean {
    byAccount.delete(stream);
    bySource.delete(stream);
    return open.delete(stream);
  }

  return {
    all: open as ReadonlySet<Stream>,
    delete: remove,
    /**
     * Adds a stream. If there is room for no more, the oldest of the account, or address where that has a share, that has most gives way,
     * unless that would only turn the two round.
     * @returns the stream that has to give way to it
     * @throws DomainError rateLimited or unavailable beyond the limits
     */
    add(stream: Stream): Stream | undefined {
      const held = bySource.sizeOf(stream);
      if (byAccount.sizeOf(stream) >= maxPerAccount) throw tooMany(maxPerAccount, 'an account');
      if (maxPerAddress > 0 && held >= maxPerAddress) throw tooMany(maxPerAddress, 'a client address');
      let oldest: Stream | undefined;
      if (open.size >= max) {
        const largest = bySource.largest();
        if (largest === undefined || largest.size <= held + 1)
          throw new DomainError('unavailable', 'Too many streams are open. Try again shortly.', { code: 'overloaded' });
        [oldest] = largest;
      }
      open.add(stream);
      byAccount.add(stream);
      bySource.add(stream);
      return oldest;
    },
  };
}

function tooMany(limit: number, whose: string): DomainError {
  const detail = `At most ${limit} streams of ${whose} can be open. Close one, or try again later.`;
  return new DomainError('rateLimited', detail, { code: 'too-many-streams', retryAfterSeconds: 10 });
}
