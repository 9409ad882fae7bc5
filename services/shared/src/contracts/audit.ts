import { z } from 'zod';
import { timestamp, uuid, wholeNumber } from '../values/fields.ts';

const state = z.record(z.string(), z.unknown()).nullable();

/** contract 4.16 */
export const auditEntryOut = z.object({
  id: z.string().describe('The cursor behind this entry.'),
  at: timestamp,
  actor: z.string().describe('`account` and its id; `operator`, and a name that nobody checks.'),
  kind: z.string().describe('What was changed, or `look`. A later release may have more.'),
  subject: uuid.describe('Id of the product, account, key, session, order, mail or letter.'),
  before: state.describe('Null for what is new.'),
  after: state.describe('Null for what was deleted.'),
});

export const auditQuery = z.object({
  size: wholeNumber(1, 200).default(50),
  after: z
    .string()
    .regex(/^\d{1,18}$/, 'must be the id of an entry')
    .optional(),
  subject: uuid.optional().describe('Only entries about this id.'),
});

export type AuditEntryOut = z.output<typeof auditEntryOut>;
