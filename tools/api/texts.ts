import { stringify } from 'yaml';
import { topology } from '../topology/topology.ts';
import { buildServices } from './build-services.ts';
import { clientOperations, clientTypes } from './client-sources.ts';
import { gatewayDocument } from './gateway-document.ts';

/** The text of each file that is written from the routes, by its path in the repository. */
export async function textsOfRoutes(): Promise<Record<string, string>> {
  const document = gatewayDocument(await buildServices(), topology);
  const openapi = stringify(document, { aliasDuplicateObjects: false, lineWidth: 120 });
  return {
    'docs/openapi.yaml': openapi,
    'clients/typescript/src/operations.ts': clientOperations(document),
    'clients/typescript/src/schema.ts': await clientTypes(openapi),
  };
}
