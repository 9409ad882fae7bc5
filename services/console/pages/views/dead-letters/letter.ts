import type { DeadLetterOut, DeadLetterResultsOut } from '../../generated/schema.ts';

export interface Letter extends DeadLetterOut {
  service: string;
  group: string;
}

export interface Outcomes extends Pick<DeadLetterResultsOut, 'results'> {
  dryRun: boolean;
}
