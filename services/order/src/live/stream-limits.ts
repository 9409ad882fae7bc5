import { DomainError } from '@store/shared/values/errors';

/** contract 2.5 */
const maxPerAccount = 10;

export interface StreamLimits {
  /** Limit of the process. */
  max: number;
  /** 0: no limit. */
  maxPerAddress: number;
}

interface Limited {
  session: { accountId: string };
  /** The client's address; undefined if the request did not come through the gateway. */
  address: string | undefined;
}

/** Streams grouped by key. Every operation takes constant time, because a client may open and close streams in a loop. */
function createGroups<Stream>(keyOf: (stream: Stream) => string) {
  const groups = new Map<string, Set<Stream>>();
  /** Keys by their number of streams, which is always small. */
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
    /** The streams of the key that has the most, oldest first. */
    largest(): Set<Stream> | undefined {
      const keys = bySize.findLast(({ size }) => size > 0);
      const [key] = keys ?? [];
      return key === undefined ? undefined : groups.get(key);
    },
  };
}

/** The open streams of a process, oldest first. Decides who may open another stream. */
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
     * Adds a stream. If the process is full, the oldest stream of the account with the most streams makes room, or of the
     * address with the most if addresses are limited. The new stream is refused instead if its own account or address would
     * then have as many streams as the largest has now.
     * @returns the stream that must be closed to make room
     * @throws DomainError rateLimited or unavailable beyond the limits
     */
    add(stream: Stream): Stream | undefined {
      const held = bySource.sizeOf(stream);
      if (byAccount.sizeOf(stream) >= maxPerAccount) throw tooMany(maxPerAccount, 'account');
      if (maxPerAddress > 0 && held >= maxPerAddress) throw tooMany(maxPerAddress, 'client address');
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

function tooMany(limit: number, source: string): DomainError {
  const detail = `At most ${limit} streams per ${source} can be open. Close one, or try again later.`;
  return new DomainError('rateLimited', detail, { code: 'too-many-streams', retryAfterSeconds: 10 });
}
