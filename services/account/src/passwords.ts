import { randomBytes } from 'node:crypto';
import { hash, type Options, verify } from '@node-rs/argon2';
import { DomainError } from '@store/shared/values/errors';
import { createFairQueue } from '@store/shared/values/fair-queue';

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. The library's enum exports no values; 2 is argon2id. */
const options: Options = { algorithm: 2, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

export interface PasswordLimits {
  /** Hashes computed at once. Each takes 19 MiB and one of libuv's four threads. */
  concurrency?: number;
  /** How many more may wait. The last must be answered before its caller times out after 5 s. */
  waiting?: number;
}

/** Who a password check is charged to: an account, which may not exist, and the client's address. */
interface Login {
  email: string;
  client: string | undefined;
}

const clientKey = (client: string | undefined) => `client ${client}`;

const overloaded = () =>
  new DomainError('unavailable', 'Too many passwords are being checked. Try again shortly.', {
    code: 'overloaded',
    retryAfterSeconds: 2,
  });

export type Passwords = Awaited<ReturnType<typeof createPasswords>>;

export async function createPasswords({ concurrency = 2, waiting = 40 }: PasswordLimits = {}) {
  const queue = createFairQueue({ concurrency, waiting, refusal: overloaded });
  const decoy = await hash(randomBytes(32), options);
  // Devices encode the same characters as different code points.
  const bytes = (password: string) => Buffer.from(password.normalize('NFC'));

  return {
    /**
     * @param client the client's address. It is the only key of a registration, since anybody can enter any e-mail address
     * @throws DomainError unavailable if too many wait
     */
    hash: (password: string, client: string | undefined) =>
      queue.run([clientKey(client)], () => hash(bytes(password), options)),
    /**
     * Takes the same time with and without a hash, so that timing does not reveal whether an account exists.
     * @throws DomainError unavailable if too many wait
     */
    async verify(passwordHash: string | undefined, password: string, { email, client }: Login): Promise<boolean> {
      const keys = [clientKey(client), `account ${email.toLowerCase()}`];
      const matches = await queue.run(keys, () => verify(passwordHash ?? decoy, bytes(password)));
      return matches && passwordHash !== undefined;
    },
  };
}
