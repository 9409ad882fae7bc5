import { accountId, type testApp } from './_app.ts';

export const lineOf = (n: number, change: object = {}) => ({
  sku: `T-${String(n).padStart(6, '0')}`,
  name: `Tea ${n}`,
  price: n + 0.25,
  unit: 'kg',
  ...change,
});
export const lines = (count: number, change: object = {}) => Array.from({ length: count }, (_, n) => lineOf(n, change));
export const ndjson = (lines: (object | string)[]) =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');

export const counts = (created: number, replaced: number, unchanged: number, failed: number) => ({
  created,
  replaced,
  unchanged,
  failed,
});

/** Functions with which tests import products. */
export function importsOf(product: Pick<ReturnType<typeof testApp>, 'get' | 'importNext' | 'prisma' | 'upload'>) {
  return {
    /** Imports lines, from the request to the end. */
    async imported(body: string | Buffer | (object | string)[]) {
      const { headers } = await product.upload(Array.isArray(body) ? ndjson(body) : body).expect(202);
      while (await product.importNext());
      return (
        await product
          .get(headers.location ?? '')
          .set('id-account', accountId)
          .expect(200)
      ).body;
    },
    rows: () => product.prisma.product.findMany({ orderBy: { sku: 'asc' } }),
    audited: () => product.prisma.audit.findMany({ orderBy: [{ id: 'asc' }] }),
  };
}
