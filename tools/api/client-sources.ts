import { join } from 'node:path';
import { execa } from 'execa';
import { root } from '../paths.ts';
import type { GatewayDocument, Operation } from './gateway-document.ts';

const folder = join(root, 'clients/typescript');
const generated = '// Written by make api from docs/openapi.yaml.\n';

/** The types of the client, by openapi-typescript. @param document the text of docs/openapi.yaml */
export async function clientTypes(document: string): Promise<string> {
  const flags = ['--root-types', '--root-types-no-schema-prefix'];
  // It reads a document without a file name from standard input.
  const { stdout } = await execa('openapi-typescript', flags, {
    ...{ cwd: folder, preferLocal: true, localDir: folder, input: document },
  });
  return `${generated}${stdout}\n`;
}

/** Method and path of each operation, for the methods of the client. Streams have methods that are written by hand. */
export function clientOperations({ paths }: GatewayDocument): string {
  const lines = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !isStream(operation))
      .map(([method, { operationId }]) => `  ${operationId}: ['${method}', '${path}'],\n`),
  );
  return `${generated}export const operations = {\n${lines.join('')}} as const;\n`;
}

const isStream = ({ responses }: Operation) => 'text/event-stream' in ((responses['200']?.content as object) ?? {});
