import { z } from 'zod';
import { lacksRole } from '../http/identity.ts';
import { list } from '../values/environment.ts';
import { DomainError } from '../values/errors.ts';

/** Aborts, so that the union's message is used. */
const accountId = z.guid({ abort: true }).toLowerCase();

export const writerConfig = {
  PRODUCT_WRITERS: z
    .union([z.enum(['everybody', 'role:catalogue']), list.pipe(z.array(accountId).nonempty())], {
      error: 'must be role:catalogue, account ids, comma-separated, or everybody',
    })
    .optional()
    .describe(
      'Writers of products: role:catalogue, everybody, or account ids; without it everybody, in prod role:catalogue',
    ),
};

type WriterConfig = z.output<z.ZodObject<typeof writerConfig>> & { APP_PROFILE: 'dev' | 'prod' };

/** The accounts that may write products (contract 4.4): all, those with a role, or a list of ids in lower case. */
export type Writers = 'everybody' | 'role:catalogue' | string[];

export const writersOf = ({ PRODUCT_WRITERS, APP_PROFILE }: WriterConfig): Writers =>
  PRODUCT_WRITERS ?? (APP_PROFILE === 'prod' ? 'role:catalogue' : 'everybody');

/** @throws DomainError forbidden for an account that may not write products */
export function mustBeWriter(writers: Writers, accountId: string, roles: readonly string[]): void {
  if (writers === 'everybody') return;
  if (writers !== 'role:catalogue') {
    if (!writers.includes(accountId)) throw new DomainError('forbidden', 'Your account may not change products.');
  } else if (!roles.includes('catalogue')) throw lacksRole('catalogue');
}
