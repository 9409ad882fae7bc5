import type { Random } from '../random.ts';

/** What a request is about. `orderId` is undefined for lists over all orders. */
export interface ProviderCall {
  operation: 'create' | 'confirm' | 'cancel' | 'read' | 'search' | 'refund' | 'list';
  orderId: string | undefined;
}

/** What happens to one request. `effect` says whether the provider does what it is asked. */
export type Fault =
  /** The connection stays open, and no answer comes. */
  | { kind: 'no answer'; effect: boolean }
  /** The connection is reset: without effect before the answer, else inside its body. */
  | { kind: 'reset'; effect: boolean }
  /** 429. Nothing is kept for the key. */
  | { kind: 'rate limit' }
  /** 500 before anything was done. Nothing is kept for the key: repeated, the request succeeds. */
  | { kind: 'passing error' }
  /** 500, which is kept for the key, as whatever has begun is. */
  | { kind: 'kept error'; effect: boolean }
  /** The key is forgotten as soon as the request is carried out, and no answer comes. */
  | { kind: 'forgotten key' }
  /** What is there is not found, or not listed, this time. */
  | { kind: 'not found yet' }
  /** The answer is about another object, of another order. */
  | { kind: 'other id' }
  /** Before it answers, the list gets another entry. */
  | { kind: 'list changes' }
  /** The request begins, and is carried out and answered later. Meanwhile its key is in progress. */
  | { kind: 'slow'; ms: number };

/** Decides what happens to a request. */
export type FaultPlan = (call: ProviderCall) => Fault | undefined;

export const noFaults: FaultPlan = () => undefined;

const changes = new Set<ProviderCall['operation']>(['create', 'confirm', 'cancel', 'refund']);
const any: Fault[] = [
  { kind: 'no answer', effect: false },
  { kind: 'no answer', effect: true },
  { kind: 'reset', effect: false },
  { kind: 'reset', effect: true },
  { kind: 'rate limit' },
  { kind: 'passing error' },
  { kind: 'slow', ms: 500 },
];
const ofChanges: Fault[] = [
  { kind: 'kept error', effect: false },
  { kind: 'kept error', effect: true },
  { kind: 'forgotten key' },
  { kind: 'other id' },
];

/** The faults that an operation may meet. */
export function faultsOf(operation: ProviderCall['operation']): Fault[] {
  if (changes.has(operation)) return [...any, ...ofChanges];
  if (operation === 'list') return [...any, { kind: 'list changes' }];
  return [...any, { kind: 'not found yet' }, { kind: 'other id' }];
}

/** One in `every` requests meets a fault, each that its operation may meet as often as the others. */
export const randomFaults =
  (random: Random, every: number): FaultPlan =>
  ({ operation }) => {
    if (random(every) > 0) return undefined;
    const faults = faultsOf(operation);
    return faults[random(faults.length)];
  };
