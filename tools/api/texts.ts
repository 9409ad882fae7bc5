import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { root } from '../paths.ts';
import { topology } from '../topology/topology.ts';
import { asyncDocument } from './async-document.ts';
import { buildServices } from './build-services.ts';
import { clientOperations, clientProblemCodes, typesOf } from './client-sources.ts';
import { gatewayDocument } from './gateway-document.ts';

/** The text of each file that is written from the routes and docs/problems.md, by its path in the repository. */
export async function textsOfRoutes() {
  const services = await buildServices();
  const document = gatewayDocument(services, topology);
  const options = { aliasDuplicateObjects: false, lineWidth: 120 };
  const problems = await readFile(join(root, 'docs/problems.md'), 'utf8');
  return {
    'docs/openapi.yaml': stringify(document, options),
    'docs/asyncapi.yaml': stringify(asyncDocument(services, String(document.info.version)), options),
    'clients/typescript/src/operations.ts': clientOperations(document),
    'clients/typescript/src/problem-codes.ts': clientProblemCodes(problems),
    'clients/typescript/src/schema.ts': await typesOf(document, 'make api from docs/openapi.yaml'),
  };
}
