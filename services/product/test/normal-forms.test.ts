import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { tea, testApp } from './_app.ts';
import type { Item } from './_catalogue.ts';

// A letter with an accent has one or two characters (Unicode Standard Annex 15), depending on keyboards, files and systems.

const database = useDatabase('product');
const product = database.open(testApp);
const forms = ['NFC', 'NFD'] as const;
const [name, category] = ['Crème brûlée', 'Été'];

afterEach(() => product.prisma.product.deleteMany());

async function expectFoundInEitherForm() {
  for (const typed of forms) {
    const encoded = (text: string) => encodeURIComponent(text.normalize(typed));
    for (const query of [
      `q=${encoded('CRÈME')}`,
      `q=${encoded('brû')}`,
      `q=${encoded('cr')}`,
      `category=${encoded(category)}`,
    ]) {
      const { body } = await product.get(`/products?${query}`);
      expect([typed, query, body.map((item: Item) => item.name)]).toEqual([typed, query, [name]]);
    }
  }
  expect((await product.get('/products/categories')).body).toEqual([category]);
}

describe.each(forms)('text stored in form %s', (form) => {
  const given = { name: name.normalize(form), category: category.normalize(form) };

  it('is found in either form', async () => {
    expect((await product.post({ ...tea, ...given })).body).toMatchObject({ name, category });
    await expectFoundInEitherForm();
  });

  it('is found if a product got it by an update', async () => {
    const { body } = await product.post(tea);
    expect((await product.put(`/products/${body.id}`, { ...tea, ...given })).body).toMatchObject({ name, category });
    await expectFoundInEitherForm();
  });

  it('is found if SQL or a replica of the previous release has written it', async () => {
    await product.prisma.product.create({ data: { id: randomUUID(), ...given, price: 1, unit: 'kg' } });
    await expectFoundInEitherForm();
  });

  it('is found if it was there before the upgrade', async () => {
    const trigger = (does: string) =>
      queryOnce(database.url, `alter table products ${does} trigger products_normalize`);
    await trigger('disable');
    const { body } = await product.post({ ...tea, name: 'Tea' });
    await product.prisma.product.create({ data: { id: randomUUID(), ...given, price: 1, unit: 'kg' } });
    await trigger('enable');
    const backfill = new URL(
      '../prisma/migrations/20261126192001_product_names_nfc_backfill/migration.sql',
      import.meta.url,
    );
    await queryOnce(database.url, await readFile(backfill, 'utf8'));
    await expectFoundInEitherForm();
    expect((await product.get(`/products/${body.id}`)).body.version).toBe(1);
  });
});
