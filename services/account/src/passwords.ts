import { randomBytes } from 'node:crypto';
import { hash, type Options, verify } from '@node-rs/argon2';
import { DomainError } from '@store/shared/values/errors';
import pLimit from 'p-limit';

/** OWASP's parameters of argon2id: 19 MiB, two passes, one lane. The library's enum has no values to import: 2 is argon2id. */
const options: Options = { algorithm: 2, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

export interface PasswordLimits {
  /** How many hashes are computed at once; each takes 19 MiB and one of libuv's four threads. */
  concurrency?: number;
  /** How many more may wait. The last one must be answered before its caller times out after 5 s. */
  waiting?: number;
}

export type Passwords = Awaited<ReturnType<typeof createPasswords>>;

export async function createPasswords({ concurrency = 2, waiting = 40 }: PasswordLimits = {}) {
  const limit = pLimit(concurrency);
  const decoy = await hash(randomBytes(32), options);

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (limit.activeCount + limit.pendingCount >= concurrency + waiting) {
      throw new DomainError('unavailable', 'Too many passwords are being checked. Try again shortly.', {
        code: 'overloaded',
        retryAfterSeconds: 2,
      });
    }
    return limit(work);
  }
  // Devices encode the same characters as different code points.
  const bytes = (password: string) => Buffer.from(password.normalize('NFC'));

  return {
    /** @throws DomainError unavailable if too many wait */
    hash: async (password: string) => inTurn(() => hash(bytes(password), options)),
    /**
     * Takes as long without a hash as with one, so that timing does not reveal whether an account exists.
     * @throws DomainError unavailable if too many wait
     */
    async verify(passwordHash: string | undefined, password: string): Promise<boolean> {
      const matches = await inTurn(() => verify(passwordHash ?? decoy, bytes(password)));
      return matches && passwordHash !== undefined;
    },
  };
}
