import { join } from 'node:path';
import { currencies, minorUnit } from '@store/shared/values/currencies';
import { problemTypes } from '@store/shared/values/problem-types';
import { execa } from 'execa';
import { root } from '../paths.ts';
import type { Operation } from './build-services.ts';
import type { GatewayDocument } from './gateway-document.ts';

const folder = join(root, 'clients/typescript');
const generated = '// Written by make api from docs/openapi.yaml.\n';

/** The types of what a document describes, by openapi-typescript. @param writer command and source, for the first line */
export async function typesOf(document: object, writer: string): Promise<string> {
  const flags = ['--root-types', '--root-types-no-schema-prefix'];
  // It reads a document without a file name from standard input.
  const options = { cwd: folder, preferLocal: true, localDir: folder, input: JSON.stringify(document, asTyped) };
  const { stdout } = await execa('openapi-typescript', flags, options);
  return `// Written by ${writer}.\n${stdout}\n`;
}

/** Says the same so that TypeScript can check it: names of headers in one case, a list to sort by as its few values. */
function asTyped(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { in: place, name, schema, pattern } = value as Record<string, unknown>;
  if (place === 'header') return { ...value, name: String(name).toLowerCase() };
  if (name === 'sort') return { ...value, schema: { anyOf: (schema as { anyOf: unknown }).anyOf } };
  const [, fields] = /^\^\(([\w|]+)\)\(,\(asc\|desc\)\)\?\$$/.exec(String(pattern)) ?? [];
  if (!fields) return value;
  return { type: 'string', enum: fields.split('|').flatMap((field) => [field, `${field},asc`, `${field},desc`]) };
}

export function clientProblemCodes(): string {
  const codes = Object.keys(problemTypes).map((code) => `\n  | '${code}'`);
  return `// Written by make api from the problem types of the services.\nexport type ProblemCode =${codes.join('')};\n`;
}

/** Currencies that have not the usual two decimals. */
export function clientMinorUnits(): string {
  const lines = currencies
    .filter((currency) => minorUnit(currency) !== 2)
    .map((currency) => `  ${currency}: ${minorUnit(currency)},\n`);
  const start = '// Written by make api from the currencies of the services (ISO 4217).\n';
  return `${start}export const minorUnits: Readonly<Record<string, number>> = {\n${lines.join('')}};\n`;
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

const isStream = ({ responses }: Operation) => 'text/event-stream' in (responses['200']?.content ?? {});
