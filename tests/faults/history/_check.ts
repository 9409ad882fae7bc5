import type { History } from './_history.ts';
import { keyModel } from './_key-model.ts';
import { findViolation, type Model, type Operation, type Violation } from './_linearizability.ts';
import { orderModel } from './_order-model.ts';
import { stockModel } from './_stock-model.ts';

const longestListing = 40;

/**
 * Describes every object whose history violates its model. Checks objects one by one: a system of linearizable objects is
 * linearizable (Herlihy and Wing, 1990).
 * @param initialStock of a product that inventory sees for the first time
 */
export function checkHistory({ keys, orders, stock }: History, initialStock: number): string[] {
  return [
    ...checkObjects('Idempotency-Key', keyModel, keys),
    ...checkObjects('order', orderModel, orders),
    ...checkObjects('stock of product', stockModel(initialStock), stock),
  ];
}

/** The size of a history, for the report of a run. */
export const sizeOf = (history: History): string =>
  Object.entries<[object: string, operation: unknown][]>({ ...history })
    .map(([name, all]) => `${all.length} operations on ${new Set(all.map(([object]) => object)).size} ${name}`)
    .join(', ');

function checkObjects<State, Action>(
  kind: string,
  model: Model<State, Action>,
  observed: [object: string, Operation<Action>][],
): string[] {
  return [...Map.groupBy(observed, ([object]) => object)].flatMap(([id, all]) => {
    try {
      const operations = all.map(([, operation]) => operation);
      const violation = findViolation(model, operations);
      return violation === undefined ? [] : `The history of ${kind} ${id} is impossible: ${describe(violation)}`;
    } catch (error) {
      return `The history of ${kind} ${id} was not decided: ${error}`;
    }
  });
}

function describe<State, Action>({ explained, state, inexplicable }: Violation<State, Action>): string {
  const began = Math.min(...[...explained, ...inexplicable].map(({ invokedAt }) => invokedAt));
  const line = ({ action, invokedAt, respondedAt }: Operation<Action>) =>
    `  ${invokedAt - began} to ${respondedAt - began} ms: ${JSON.stringify(action)}`;
  return [
    `after ${explained.length} operations, the last of which are`,
    ...explained.slice(-longestListing).map(line),
    `it is ${JSON.stringify(state)}, which allows none of`,
    ...inexplicable.map(line),
  ].join('\n');
}
