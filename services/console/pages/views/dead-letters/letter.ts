import type { AnyDeadLetterOut, AnyDeadLetterResultsOut } from '../../generated/schema.ts';

export interface Letter extends AnyDeadLetterOut {
  service: string;
  group: string;
}

export interface Outcomes extends Pick<AnyDeadLetterResultsOut, 'results'> {
  dryRun: boolean;
}
