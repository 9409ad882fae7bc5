import { stringify } from 'yaml';
import { topology } from '../topology/topology.ts';
import { asyncDocument } from './async-document.ts';
import { buildServices } from './build-services.ts';
import { clientMethods, clientMinorUnits, clientOperations, clientProblemCodes, typesOf } from './client-sources.ts';
import { gatewayDocument } from './gateway-document.ts';

/** The text of each file that make api writes, by its path in the repository. */
export async function textsOfRoutes() {
  const services = await buildServices();
  const document = await gatewayDocument(services, topology);
  const options = { aliasDuplicateObjects: false, lineWidth: 120 };
  return {
    'docs/openapi.yaml': stringify(document, options),
    'docs/asyncapi.yaml': stringify(asyncDocument(services, String(document.info.version)), options),
    'clients/typescript/src/methods.ts': clientMethods(document),
    'clients/typescript/src/minor-units.ts': clientMinorUnits(),
    'clients/typescript/src/operations.ts': clientOperations(document),
    'clients/typescript/src/problem-codes.ts': clientProblemCodes(),
    'clients/typescript/src/schema.ts': await typesOf(document, 'make api from docs/openapi.yaml'),
  };
}
