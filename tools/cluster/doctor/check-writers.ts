import type { V1Deployment } from '@kubernetes/client-node';
import { nameOf, variablesOf } from '../rollout.ts';
import { type Finding, ok, wrong } from './findings.ts';

/** Checks that somebody decided who may write products (contract 4.4). Outside production nobody has to. */
export function checkWriters(deployments: V1Deployment[]): Finding[] {
  const product = deployments.find((one) => nameOf(one) === 'product');
  if (!product) return [];
  const variables = variablesOf(product);
  const textOf = (variable: string) => variables.find(({ name }) => name === variable)?.value;
  const writers = textOf('PRODUCT_WRITERS') || undefined;
  if (writers === undefined && textOf('APP_PROFILE') === 'prod')
    return [
      wrong(
        'product: every account may write products, and nobody decided so',
        'set product.env.PRODUCT_WRITERS to account ids, comma-separated, or to everybody',
      ),
    ];
  if (writers === undefined || writers === 'everybody') return [ok('product: every account may write products')];
  const count = writers.split(',').length;
  return [ok(`product: ${count} ${count === 1 ? 'account' : 'accounts'} may write products`)];
}
