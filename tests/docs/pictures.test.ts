import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { titles } from '../../services/console/pages/pages.ts';
import { root } from '../../tools/paths.ts';
import { inAllLooks } from '../browser/_pictures.ts';

/** Parts of the console's pages that have their own pictures. */
const parts = ['order', 'product'];
/** Files of the shop's pages whose pictures have different names. */
const renamed: Record<string, string> = { credentials: 'log-in' };
/** Pages reached by mail, and the page for unknown addresses, have no picture; a credit note looks like an invoice. */
const withoutPicture = ['by-mail', 'missing', 'credit-note'];

const pagesOfShop = readdirSync(join(root, 'examples/shop/src/pages'))
  .map((file) => file.replace(/\.tsx$/, ''))
  .filter((page) => !withoutPicture.includes(page));
const pages = [
  ...pagesOfShop.map((page) => `shop-${renamed[page] ?? page}`),
  ...[...Object.keys(titles), ...parts].map((page) => `console-${page}`),
];
const expected = [
  ...pages.flatMap((page) => [`${page}.png`, `${page}-narrow.png`]),
  ...inAllLooks.map((page) => `${page}-dark.png`),
];
const pictures = readdirSync(join(root, 'docs/images'));

describe('the pictures in docs/images', () => {
  it('show each page of shop and console, wide and narrow', () => {
    expect([...pictures].sort()).toEqual(expected.sort());
  });

  it('include every picture in documents', () => {
    const documents = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md'], {
      cwd: root,
      exclude: ['**/node_modules'],
    });
    const texts = documents.map((name) => readFileSync(join(root, name), 'utf8'));
    const shown = texts.flatMap((text) => [...text.matchAll(/docs\/images\/([\w-]+\.png)|\(images\/([\w-]+\.png)/g)]);
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.map(([, one, other]) => one ?? other).filter((name) => !pictures.includes(name ?? ''))).toEqual([]);
  });
});
