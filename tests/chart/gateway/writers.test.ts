import type { V1Deployment } from '@kubernetes/client-node';
import { renderObjects } from '../../../tools/chart/render.ts';
import { checkWriters } from '../../../tools/cluster/doctor/check-release.ts';

// The findings of make doctor on the product Deployment of the chart.

async function deployments(writers: string, profile: 'dev' | 'prod'): Promise<V1Deployment[]> {
  const values = { global: { profile }, product: { env: { PRODUCT_WRITERS: writers } } };
  return (await renderObjects(values)).filter(({ kind }) => kind === 'Deployment');
}

const id = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';

it.each([
  ['', 'prod', 'product: accounts with the role catalogue may write products'],
  ['everybody', 'prod', 'product: every account may write products'],
  ['', 'dev', 'product: every account may write products'],
  [id, 'prod', 'product: 1 account may write products'],
  [`${id},${id}`, 'prod', 'product: 2 accounts may write products'],
] as const)('PRODUCT_WRITERS=%s with the profile %s: %s', async (writers, profile, what) => {
  expect(checkWriters(await deployments(writers, profile))).toEqual([{ what }]);
});
