import { named, renderChart, renderObjects } from '../../../tools/chart/render.ts';

interface Rendered {
  kind: string;
  metadata: { name: string };
  // biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
  spec: any;
}

const rendered = async (values: object): Promise<Rendered[]> => renderObjects(values);
const withShop = { global: { shop: { enabled: true } } };

it('a store has no shop by default, whatever its image would be', async () => {
  for (const values of [{}, { global: { shop: { image: 'registry.example.com/brand/shop:1' } } }])
    expect(await renderChart([], values)).not.toMatch(/shop-pods|cluster: shop|brand/);
});

it('the shop is served below /shop, open for reading only', async () => {
  const resources = await rendered(withShop);
  const own = resources.filter((resource) => resource?.metadata.name.startsWith('shop')).map(({ kind }) => kind);
  expect(own.sort()).toEqual(['Deployment', 'NetworkPolicy', 'Service']);
  const text = await renderChart([], withShop);
  const matches = [...text.matchAll(/- match: (\{.*"path_separated_prefix":"\/shop".*\})/g)].map(([, json]) =>
    JSON.parse(json ?? ''),
  );
  expect(matches.map(({ headers }) => headers?.[0].string_match.exact)).toEqual(['GET', 'HEAD', undefined]);
});

describe('its image', () => {
  const digests = { shop: `sha256:${'b'.repeat(64)}` };
  it.each([
    ['is that of the release', {}, {}, 'registry.example.com/store/shop:0.1.0'],
    ['has the tag of make images', {}, { tags: { shop: '4f1c9a' }, repository: 'store' }, 'store/shop:4f1c9a'],
    [
      'has the digest of the release',
      {},
      { digests, registry: 'mirror.test' },
      `mirror.test/store/shop:0.1.0@${digests.shop}`,
    ],
    [
      'may be your own, which has no digest of the release',
      { image: 'registry.example.com/brand/shop:1' },
      { digests, registry: 'mirror.test' },
      'mirror.test/brand/shop:1',
    ],
  ])('%s', async (_, shop, image, expected) => {
    const resources = await rendered({ global: { shop: { enabled: true, ...shop }, image } });
    const { spec } = named(resources, 'Deployment', 'shop') ?? {};
    expect(spec.template.spec.containers[0].image).toBe(expected);
  });
});
