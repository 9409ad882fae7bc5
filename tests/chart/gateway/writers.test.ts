import type { V1Deployment } from '@kubernetes/client-node';
import { parseAllDocuments } from 'yaml';
import { renderChart } from '../../../tools/chart/render.ts';
import { checkWriters } from '../../../tools/cluster/doctor/check-release.ts';

// The findings of make doctor on the product Deployment of the chart.

async function deployments(writers: string, profile: 'dev' | 'prod'): Promise<V1Deployment[]> {
  const values = { global: { profile }, product: { env: { PRODUCT_WRITERS: writers } } };
  return parseAllDocuments(await renderChart([], values))
    .map((document) => document.toJS())
    .filter(({ kind }) => kind === 'Deployment');
}

const id = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';

it.each([
  ['everybody', 'prod', 'product: every account may write products'],
  ['', 'dev', 'product: every account may write products'],
  [id, 'prod', 'product: 1 account may write products'],
  [`${id},${id}`, 'prod', 'product: 2 accounts may write products'],
] as const)('PRODUCT_WRITERS=%s with the profile %s: %s', async (writers, profile, what) => {
  expect(checkWriters(await deployments(writers, profile))).toEqual([{ what }]);
});

it('a production in which nobody decided, as the chart used to allow', async () => {
  const all = await deployments('everybody', 'prod');
  for (const { spec } of all)
    for (const container of spec?.template.spec?.containers ?? [])
      container.env = container.env?.filter(({ name }) => name !== 'PRODUCT_WRITERS') ?? [];
  expect(checkWriters(all)).toEqual([
    {
      what: 'product: every account may write products, and nobody decided so',
      remedy: expect.stringContaining('product.env.PRODUCT_WRITERS'),
    },
  ]);
});
