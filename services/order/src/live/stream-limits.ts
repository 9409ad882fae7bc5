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

/**
 * Admits a stream beside those that are open, the oldest first. If there is room for no more, the oldest of the account, or address
 * where that has a share, that has most gives way, unless that would only turn the two round.
 * @returns the stream that has to give way to it
 * @throws DomainError rateLimited or unavailable beyond the limits
 */
export function admit<Stream extends Held>(
  streams: Set<Stream>,
  { session: { accountId }, address }: Held,
  { max, maxPerAddress }: StreamLimits,
): Stream | undefined {
  const holderOf = (one: Held) => (maxPerAddress > 0 && one.address) || one.session.accountId;
  const open = [...streams];
  const holder = (maxPerAddress > 0 && address) || accountId;
  const held = open.filter((one) => holderOf(one) === holder).length;
  if (open.filter(({ session }) => session.accountId === accountId).length >= maxPerAccount)
    throw tooMany(maxPerAccount, 'an account');
  if (maxPerAddress > 0 && held >= maxPerAddress) throw tooMany(maxPerAddress, 'a client address');
  if (open.length < max) return undefined;
  const [largest = []] = [...Map.groupBy(open, holderOf).values()].sort((a, b) => b.length - a.length);
  if (largest.length > held + 1) return largest[0];
  throw new DomainError('unavailable', 'Too many streams are open. Try again shortly.', { code: 'overloaded' });
}

function tooMany(limit: number, whose: string): DomainError {
  const detail = `At most ${limit} streams of ${whose} can be open. Close one, or try again later.`;
  return new DomainError('rateLimited', detail, { code: 'too-many-streams', retryAfterSeconds: 10 });
}
