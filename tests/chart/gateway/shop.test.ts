import { parseAllDocuments } from 'yaml';
import { renderChart } from '../../../tools/chart/render.ts';

const rendered = async (values: object) =>
  parseAllDocuments(await renderChart([], values)).map(
    (document) => document.toJSON() as { kind: string; metadata: { name: string }; data?: Record<string, string> },
  );
const withShop = { global: { shop: { image: 'registry.example.com/store/shop:1' } } };

it('a store has no shop by default', async () => {
  const text = await renderChart([]);
  expect(text).not.toMatch(/shop-pods|cluster: shop/);
});

it('with its image the shop is served below /shop, open for reading only', async () => {
  const resources = await rendered(withShop);
  const own = resources.filter((resource) => resource?.metadata.name.startsWith('shop')).map(({ kind }) => kind);
  expect(own.sort()).toEqual(['Deployment', 'NetworkPolicy', 'Service']);
  const text = await renderChart([], withShop);
  expect(text).toContain('image: registry.example.com/store/shop:1');
  const matches = [...text.matchAll(/- match: (\{.*"path_separated_prefix":"\/shop".*\})/g)].map(([, json]) =>
    JSON.parse(json ?? ''),
  );
  expect(matches.map(({ headers }) => headers?.[0].string_match.exact)).toEqual(['GET', 'HEAD', undefined]);
});
