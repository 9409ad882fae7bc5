import { auditOut, decisionOut, letterOut, lettersOut, resultsOut } from '@store/shared/contracts/dead-letters';
import { z } from 'zod';

// Answers of services, which may be of a later release with further outcomes.
const outcome = z.string();
export const anyDecision = decisionOut.extend({ outcome });
export const anyLetters = lettersOut.extend({
  letters: z.array(letterOut.extend({ decisions: z.array(anyDecision).optional() }).meta({ id: 'AnyDeadLetterOut' })),
});
export const anyTrail = auditOut.extend({ entries: z.array(auditOut.shape.entries.element.extend({ outcome })) });
export const anyResults = resultsOut
  .extend({
    results: z.array(resultsOut.shape.results.element.extend({ outcome, decision: anyDecision.optional() })),
  })
  .meta({ id: 'AnyDeadLetterResultsOut' });

const groupLettersOut = anyLetters.extend({
  service: z.string(),
  problem: z.string().optional().describe('Why there is no list, or only an earlier one.'),
});

export const groupsOut = z.array(groupLettersOut);

export const trailOut = z.object({
  entries: z.array(anyTrail.shape.entries.element.extend({ group: z.string() })),
  problems: z.array(z.string()),
});

export type GroupLetters = z.output<typeof groupLettersOut>;
