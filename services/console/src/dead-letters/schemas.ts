import { auditOut, lettersOut } from '@store/shared/contracts/dead-letters';
import { z } from 'zod';

const groupLettersOut = lettersOut.extend({
  service: z.string(),
  problem: z.string().optional().describe('Why there is no list, or only that of before.'),
});

export const groupsOut = z.array(groupLettersOut);

export const trailOut = z.object({
  entries: z.array(auditOut.shape.entries.element.extend({ group: z.string() })),
  problems: z.array(z.string()),
});

export type GroupLetters = z.output<typeof groupLettersOut>;
