/** A movement of money at the provider, or the line of an entry on the account provider. */
export interface Movement {
  /** The provider's id, or the id of the entry. */
  id: string;
  kind: 'charge' | 'refund' | 'dispute';
  /** The order or, if no payment has it, the intent. */
  subject: string;
  /** In minor units; positive if the provider holds more. */
  amount: bigint;
  currency: string;
  at: Date;
}

/**
 * - `missing-here`: the provider has it, the books do not.
 * - `missing-there`: the books have it, the provider does not.
 * - `different`: both have it, with different amounts or currencies.
 */
export interface Difference {
  what: 'missing-here' | 'missing-there' | 'different';
  there?: Movement | undefined;
  here?: Movement | undefined;
}

const groupOf = ({ subject, kind }: Movement) => `${kind} ${subject}`;
const isSame = (a: Movement, b: Movement) => a.amount === b.amount && a.currency === b.currency;

/**
 * Compares movements by order and kind, and within these by amount. Both sides may contain movements outside the period, which match
 * those near its ends; only what lies in the period differs.
 */
export function differencesOf(
  there: Movement[],
  here: Movement[],
  { from, to }: { from: Date; to: Date },
): Difference[] {
  const unmatched = Map.groupBy(here, groupOf);
  const left: Movement[] = [];
  for (const movement of there) {
    const others = unmatched.get(groupOf(movement)) ?? [];
    const index = others.findIndex((other) => isSame(movement, other));
    if (index === -1) left.push(movement);
    else others.splice(index, 1);
  }
  const isWithin = (movement: Movement | undefined) =>
    movement !== undefined && movement.at >= from && movement.at < to;
  const ofThere = left.map((there): Difference => {
    const here = unmatched.get(groupOf(there))?.shift();
    return here === undefined ? { what: 'missing-here', there } : { what: 'different', there, here };
  });
  const ofHere = [...unmatched.values()].flat().map((here): Difference => ({ what: 'missing-there', here }));
  return [...ofThere, ...ofHere].filter(({ there, here }) => isWithin(there) || isWithin(here));
}
