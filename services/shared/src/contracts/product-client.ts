import { z } from 'zod';
import { createHttpClient } from '../http/client.ts';
import { coalesce } from '../values/coalesce.ts';
import { uuid } from '../values/fields.ts';
import { decimal } from '../values/money.ts';
import { taxPermille } from '../values/tax.ts';

/** Fields of a product that an order keeps. */
const productForSale = z.object({
  name: z.string(),
  sku: z.string().nullable().default(null),
  price: decimal(12, 4).refine((value) => value.greaterThan(0), 'must be positive'),
  // The product service of the previous release omits it.
  taxPermille: taxPermille.nullish(),
});

export type ProductForSale = z.output<typeof productForSale>;

export type ProductClient = ReturnType<typeof createProductClient>;

const answered = z.array(z.looseObject({ id: uuid }));
/** The most ids that the product service accepts in one request (contract 4.4). */
const idsPerRequest = 100;

export function createProductClient(baseUrl: string, timeoutMs = 2_000) {
  const client = createHttpClient({ service: 'product', baseUrl, timeoutMs });

  async function ask(ids: string[]): Promise<Map<string, unknown>> {
    const query = `size=${ids.length}&id=${ids.join('&id=')}`;
    const products = client.read(answered, await client.call('GET', '/products', { query }));
    return new Map(products.map((product) => [product.id, product]));
  }

  /** Returns, by id, the answer that contains it, which may be a failure. */
  const askTogether = coalesce(async (questions: string[][]) => {
    const ids = [...new Set(questions.flat())];
    const answers = new Map<string, ReturnType<typeof ask>>();
    for (let from = 0; from < ids.length; from += idsPerRequest) {
      const asked = ids.slice(from, from + idsPerRequest);
      const answer = ask(asked);
      for (const id of asked) answers.set(id, answer);
    }
    await Promise.allSettled(answers.values());
    return answers;
  });

  return {
    /**
     * Reads products by id, none older than the call. Unknown products are missing from the map. Concurrent calls share requests, but
     * a call fails only because of its own ids.
     * @throws DomainError unavailable if the product service gives no valid answer within about 2 s
     */
    async find(productIds: string[]): Promise<Map<string, ProductForSale>> {
      // Other texts name no product, and would turn the shared request into a 400 for all callers.
      const ids = productIds.filter((id) => uuid.safeParse(id).success);
      const found = new Map<string, ProductForSale>();
      if (ids.length === 0) return found;
      const answers = await askTogether(ids);
      for (const id of ids) {
        const answer = await answers.get(id);
        if (answer?.has(id) !== true) continue;
        found.set(id, client.parsed(productForSale, answer.get(id)));
      }
      return found;
    },
  };
}
