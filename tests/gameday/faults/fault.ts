import type { Stage } from '../stage.ts';

/** Something that breaks, and the alerts that have to say so. */
export interface Fault {
  name: string;
  /** One alert of each severity. */
  alerts: string[];
  /** Breaks it. @returns what mends it */
  inject(stage: Stage): Promise<() => Promise<unknown>>;
  /** The windows of its alerts are hours long: other faults follow before they clear. */
  clearsLate?: true;
  needsExporter?: true;
}
