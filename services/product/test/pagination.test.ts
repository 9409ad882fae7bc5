import { nextLink } from '../../../tests/kit/http.ts';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { tea, testApp } from './_app.ts';
import { catalogueOf, idsOf } from './_catalogue.ts';

const database = useDatabase('product');
const product = database.open(testApp);
const { make, all } = catalogueOf(product);

afterEach(() => product.prisma.product.deleteMany());

describe('pagination of products', () => {
  /** All product ids in PostgreSQL's order: names by code point, ties by id in the direction of the first sort. */
  async function sorted(sorts: string[]): Promise<string[]> {
    const last = `id,${(sorts[0] ?? '').split(',')[1] ?? 'asc'}`;
    const columns: Record<string, string> = { createdAt: 'created_at', name: 'name collate "C"' };
    const orderBy = [...sorts, last].map((sort) => {
      const [field = '', direction = 'asc'] = sort.split(',');
      return `${columns[field] ?? field} ${direction}`;
    });
    const sql = `select id::text from products order by ${orderBy.join()}`;
    return (await queryOnce<{ id: string }>(database.url, sql)).map(({ id }) => id);
  }

  it.each([
    [[]],
    [['name']],
    [['name,desc']],
    [['price,desc']],
    [['price,desc', 'name,asc']],
    [['name,desc', 'price,asc', 'createdAt,desc']],
    [['price,desc', 'name,desc', 'createdAt,desc']],
  ])('by %j returns every product once and in order while others are inserted', async (sorts) => {
    await make(40);
    const wanted = await sorted(sorts.length === 0 ? ['createdAt,asc'] : sorts);
    let inserted = 40;
    const query = ['size=7', ...sorts.map((sort) => `sort=${sort}`)].join('&');
    const seen = idsOf(
      await all(`/products?${query}`, async () => {
        if (inserted > 60) return; // otherwise a list sorted by createdAt would never end
        await Promise.all([make(1, inserted), make(1, inserted + 1), make(1, inserted + 2)]);
        inserted += 3;
      }),
    );
    expect(seen.filter((id) => wanted.includes(id))).toEqual(wanted);
    expect(new Set(seen).size).toBe(seen.length);
    expect(inserted).toBeGreaterThan(55);
  });

  it('continues after a product that was deleted meanwhile', async () => {
    const items = await make(9);
    const first = await product.get('/products?size=4');
    await product.delete(`/products/${items[3]?.id}`);
    const rest = await all(nextLink(first.headers.link) ?? '');
    expect(idsOf(rest)).toEqual(idsOf(items).slice(4));
  });

  it('by page number returns every product once while nothing changes', async () => {
    await make(23);
    const seen: string[] = [];
    for (let page = 0; page < 4; page += 1) {
      const { body } = await product.get(`/products?size=7&page=${page}&sort=price,desc`);
      seen.push(...idsOf(body));
    }
    expect(seen).toEqual(await sorted(['price,desc']));
    expect(idsOf(await all('/products?size=7&page=1&sort=price,desc'))).toEqual(seen.slice(7));
    expect((await product.get('/products?size=7&page=4')).body).toEqual([]);
    expect((await product.get('/products?size=1000&page=10')).body).toEqual([]);
  });

  it('ends when a sort field is named three times (its cursor once grew too long)', async () => {
    for (let n = 0; n < 4; n += 1) await product.post({ ...tea, name: '🍵'.repeat(200) });
    const seen = await all('/products?size=1&sort=name&sort=name&sort=name,desc');
    expect(new Set(idsOf(seen)).size).toBe(4);
  });
});
