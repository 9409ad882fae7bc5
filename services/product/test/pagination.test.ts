import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { tea, testApp } from './_app.ts';
import { catalogueOf, type Item, idsOf, nextOf } from './_catalogue.ts';

const product = useDatabase('product').open(testApp);
const { make, paginate } = catalogueOf(product);

afterEach(() => product.prisma.product.deleteMany());

describe('pagination of products', () => {
  const byCodePoint = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  const comparators: Record<string, (a: Item, b: Item, made: Map<string, number>) => number> = {
    name: (a, b) => byCodePoint(a.name, b.name),
    price: (a, b) => a.price - b.price,
    createdAt: (a, b, made) => (made.get(a.id) ?? 0) - (made.get(b.id) ?? 0),
    id: (a, b) => byCodePoint(a.id, b.id),
  };

  function sorted(items: Item[], sorts: string[]): string[] {
    const made = new Map(items.map(({ id }, index) => [id, index]));
    const last = `id,${(sorts[0] ?? '').split(',')[1] ?? 'asc'}`;
    const keys = [...sorts, last].map((sort) => sort.split(','));
    const ordered = [...items].sort((a, b) => {
      const differences = keys.map(([field = '', direction]) => {
        const difference = comparators[field]?.(a, b, made) ?? Number.NaN;
        return direction === 'desc' ? -difference : difference;
      });
      return differences.find((difference) => difference !== 0) ?? 0;
    });
    return idsOf(ordered);
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
    const items = await make(40);
    let inserted = 40;
    const query = ['size=7', ...sorts.map((sort) => `sort=${sort}`)].join('&');
    const seen = idsOf(
      await paginate(`/products?${query}`, async () => {
        if (inserted > 60) return; // sorted by createdAt, it would never end otherwise
        await Promise.all([make(1, inserted), make(1, inserted + 1), make(1, inserted + 2)]);
        inserted += 3;
      }),
    );
    const old = new Set(idsOf(items));
    expect(seen.filter((id) => old.has(id))).toEqual(sorted(items, sorts.length === 0 ? ['createdAt,asc'] : sorts));
    expect(new Set(seen).size).toBe(seen.length);
    expect(inserted).toBeGreaterThan(55);
  });

  it('continues after a product that was deleted meanwhile', async () => {
    const items = await make(9);
    const first = await product.get('/products?size=4');
    await product.delete(`/products/${items[3]?.id}`);
    const rest = await paginate(nextOf(first.headers.link) ?? '');
    expect(idsOf(rest)).toEqual(idsOf(items).slice(4));
  });

  it('by page number returns every product once while nothing changes', async () => {
    const items = await make(23);
    const seen: string[] = [];
    for (let page = 0; page < 4; page += 1) {
      const { body } = await product.get(`/products?size=7&page=${page}&sort=price,desc`);
      seen.push(...idsOf(body));
    }
    expect(seen).toEqual(sorted(items, ['price,desc']));
    expect(idsOf(await paginate('/products?size=7&page=1&sort=price,desc'))).toEqual(seen.slice(7));
    expect((await product.get('/products?size=7&page=4')).body).toEqual([]);
    expect((await product.get('/products?size=1000&page=10')).body).toEqual([]);
  });

  it('ends when a sort field is named three times (its cursor once grew too long)', async () => {
    for (let n = 0; n < 4; n += 1) await product.post({ ...tea, name: '🍵'.repeat(200) });
    const seen = await paginate('/products?size=1&sort=name&sort=name&sort=name,desc');
    expect(new Set(idsOf(seen)).size).toBe(4);
  });
});
