import { z } from 'zod';
import { queryTime, text, timestamp, uuid, uuidPrefix, wholeNumber } from '../values/fields.ts';

const state = z.record(z.string(), z.unknown()).nullable();

/** contract 4.16 */
export const auditEntryOut = z.object({
  id: z.string().describe('Also the cursor after this entry.'),
  at: timestamp,
  actor: z.string().describe('`account` and its id; `operator` and the id of an account, or an unverified name.'),
  kind: z.string().describe('What was changed, or `look`. A later release may have more.'),
  subject: uuid.describe('Id of the product, account, key, session, order, mail or letter.'),
  before: state.describe('Null if it was created.'),
  after: state.describe('Null if it was deleted.'),
});

/** The most actors in one query. */
export const maxActors = 100;
const actor = text(1, 250);

export const auditQuery = z.object({
  size: wholeNumber(1, 200).default(50),
  after: z
    .string()
    .regex(/^\d{1,18}$/, 'must be the id of an entry')
    .optional(),
  subject: uuidPrefix.optional().describe('Only entries about this id, or about ids that begin with it.'),
  actor: z
    .union([actor.transform((one) => [one]), z.array(actor).max(maxActors)])
    .optional()
    .describe('Only entries of these actors, written as in entries.'),
  from: queryTime.optional().describe('Only entries at this time or later.'),
  to: queryTime.optional().describe('Only entries before this time.'),
});

export type AuditEntryOut = z.output<typeof auditEntryOut>;
