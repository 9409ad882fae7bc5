/** A product as its writers know it: its states are numbered, and `gone` is the last one. */
export interface Written {
  path: string;
  /** The last state that a writer was told to be stored. */
  acknowledged: number;
  /** The last state that a writer has asked for. */
  requested: number;
}

export const gone = Number.POSITIVE_INFINITY;

/** The state that a product's name tells. */
export const nameOf = (state: number) => `state ${state}`;
const stateOf = (name: string) => Number(name.slice(nameOf(0).length - 1));

/** Content of an answer: the state of each product in it, by path. */
export type Shown = ReadonlyMap<string, number>;

export const shownBy = (products: { id: string; name: string }[]): Shown =>
  new Map(products.map(({ id, name }) => [`/products/${id}`, stateOf(name)]));

/**
 * Begins to judge an answer, before it is asked for.
 * @param among the products that it has to show, unless they are gone
 * @returns what is wrong with it, once it has come
 */
export function beginJudging(among: readonly Written[]) {
  const before = among.map((product) => ({ product, acknowledged: product.acknowledged }));
  return (shown: Shown): string[] =>
    before.flatMap(({ product, acknowledged }) => {
      const state = shown.get(product.path) ?? gone;
      if (state >= acknowledged && state <= product.requested) return [];
      return `${product.path}: ${state} was shown, after ${acknowledged} had been acknowledged; ${product.requested} requested`;
    });
}
