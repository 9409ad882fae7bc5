import { paginate } from '../../../tests/kit/http.ts';
import { tea, type testApp } from './_app.ts';

export interface Item {
  id: string;
  name: string;
  price: number;
}

export const names = ['Tea', 'tea', 'Ärger', 'Ölkanne', '🍵', '"quoted" and \\ more', 'a,b;c', 'line\nend'];

export const idsOf = (items: Item[]) => items.map(({ id }) => id);

/** Functions with which tests of lists call the service. */
export function catalogueOf(product: Pick<ReturnType<typeof testApp>, 'get' | 'post'>) {
  return {
    /** Makes products and returns them in order. Names and prices repeat, so that there are many ties. */
    async make(count: number, from = 0): Promise<Item[]> {
      const items: Item[] = [];
      for (let n = from; n < from + count; n += 1) {
        const { body } = await product.post({ ...tea, name: names[n % names.length], price: 1 + (n % 3) / 10000 });
        items.push(body);
      }
      return items;
    },

    /** Returns the items of all pages from `path` on. */
    all: async (path: string, between?: () => Promise<unknown>): Promise<Item[]> =>
      (await paginate(product.get, path, between)).flat(),
  };
}
