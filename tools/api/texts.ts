import { stringify } from 'yaml';
import { topology } from '../topology/topology.ts';
import { buildServices } from './build-services.ts';
import { gatewayDocument } from './gateway-document.ts';

/** The text of each document that is written from the code, by its path in the repository. */
export async function documentTexts(): Promise<Record<string, string>> {
  const services = await buildServices();
  return {
    'docs/openapi.yaml': stringify(gatewayDocument(services, topology), {
      ...{ aliasDuplicateObjects: false, lineWidth: 120 },
    }),
  };
}
