import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { titles } from '../../services/console/pages/pages.ts';
import { root } from '../../tools/paths.ts';

/** Parts of pages that have pictures of their own. */
const parts = ['order', 'product'];
/** Without pictures until `make screenshots` is next run. */
const awaited = ['orders', 'product', 'mails', 'accounts', 'audit'];

describe('the pictures of the console', () => {
  const pictures = readdirSync(join(root, 'docs/images')).filter((name) => name.startsWith('console-'));
  const nameOf = (picture: string) => picture.replace(/^console-/, '').replace(/(-narrow|-dark)?\.png$/, '');

  it('are those of its pages, each of which has one', () => {
    const pages = [...Object.keys(titles), ...parts];
    const pictured = new Set(pictures.map(nameOf));
    expect([...pictured, ...awaited].sort()).toEqual(pages.sort());
  });
});
