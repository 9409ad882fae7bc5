import { join } from 'node:path';
import { currencies, minorUnit } from '@store/shared/values/currencies';
import { problemTypes } from '@store/shared/values/problem-types';
import { execa } from 'execa';
import { lookUp } from '../look-up.ts';
import { root } from '../paths.ts';
import type { Operation } from './build-services.ts';
import type { GatewayDocument } from './gateway-document.ts';

const folder = join(root, 'clients/typescript');
const generated = '// Written by make api from docs/openapi.yaml.\n';

/** The types of an OpenAPI document, by openapi-typescript. @param writer command and source, for the first line */
export async function typesOf(document: object, writer: string): Promise<string> {
  const flags = ['--root-types', '--root-types-no-schema-prefix'];
  // Without a file name it reads the document from standard input.
  const options = { cwd: folder, preferLocal: true, localDir: folder, input: JSON.stringify(document, asTyped) };
  const { stdout } = await execa('openapi-typescript', flags, options);
  return `// Written by ${writer}.\n${stdout}\n`;
}

/** Rewrites what TypeScript cannot check: names of headers to lower case, the pattern of a sort order to its few values. */
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

/** Currencies without the usual two decimals. */
export function clientMinorUnits(): string {
  const lines = currencies
    .filter((currency) => minorUnit(currency) !== 2)
    .map((currency) => `  ${currency}: ${minorUnit(currency)},\n`);
  const start = '// Written by make api from the currencies of the services (ISO 4217).\n';
  return `${start}export const minorUnits: Readonly<Record<string, number>> = {\n${lines.join('')}};\n`;
}

/** Method and path of each operation, for the methods of the client. */
export function clientOperations({ paths }: GatewayDocument): string {
  const lines = methodsOf(paths).map(({ method, path, id }) => `  ${id}: ['${method}', '${path}'],\n`);
  return `${generated}export const operations = {\n${lines.join('')}} as const;\n`;
}

/**
 * The methods of the client as an editor shows them: with summary, input and every documented status. Each signature has the whole
 * comment, because editors show no comment of a mapped type, and of overloads only the comment of the one that is called.
 */
export function clientMethods({ paths, components }: GatewayDocument): string {
  const simple: string[] = [];
  const full: string[] = [];
  for (const { method, path, id, operation } of methodsOf(paths)) {
    const { parameters = [], requestBody, responses } = operation;
    const comment = commentOf(`${method.toUpperCase()} ${path}`, operation, components.responses);
    const isOptional = !requestBody?.required && !parameters.some(({ required }) => required);
    const signature = (input: string, output: string) =>
      `${comment}  ${id}(input${isOptional ? '?' : ''}: ${input}<'${id}'>, options?: CallOptions): Promise<${output}>;\n`;
    simple.push(signature('Input', `Output<'${id}'>`));
    if ('304' in responses) full.push(signature('Input', `Exclude<Reply<'${id}'>, { status: 304 }>`));
    full.push(signature('FullInput', `Reply<'${id}'>`));
  }
  const imports = "import type { CallOptions, FullInput, Input, Output, Reply } from './types.ts';\n";
  const ofBodies =
    '/** The operations of docs/openapi.yaml, which resolve to the body of the reply. */\nexport interface Methods';
  const ofAll = '/** The same, but they resolve to the whole reply. */\nexport interface FullMethods';
  const body = (methods: string[]) => `{\n${methods.join('\n')}}\n`;
  return `${generated}${imports}\n${ofBodies} ${body(simple)}\n${ofAll} ${body(full)}`;
}

function commentOf(request: string, operation: Operation, shared: Operation['responses']): string {
  const { summary, security = [], parameters = [], requestBody, responses } = operation;
  const scopes = security.flatMap(({ apiKey = [] }) => apiKey).map((scope) => `\`${scope}\``);
  const input = parameters.map(({ name, in: place, required, schema }) => {
    const field = `\`${place}.${place === 'header' ? name.toLowerCase() : name}\`${required ? '' : ', optional'}`;
    return schema.description ? `${field}: ${schema.description}` : field;
  });
  if (requestBody) input.push(`\`body\`${requestBody.required ? '' : ', optional'}`);
  const answers = Object.entries(responses).map(([status, response]) => {
    const name = response.$ref?.split('/').at(-1);
    const { description } = name === undefined ? response : lookUp('response', shared, name);
    return `${status === 'default' ? 'others' : status}: ${description}`;
  });
  const isSuccess = (answer: string) => /^[23]/.test(answer);
  const text = [
    `${summary}.`,
    '',
    `\`${request}\`${scopes.length > 0 ? `, for an API key with the scope ${scopes.join(' or ')}` : ''}`,
    '',
    ...tag('@param input', input),
    '@param options for this call',
    ...tag('@returns', answers.filter(isSuccess)),
    ...tag(
      '@throws StoreProblem',
      answers.filter((answer) => !isSuccess(answer)),
    ),
  ];
  const lines = text
    .flatMap((part) => part.split('\n'))
    .map((line) => `   * ${line.replaceAll('*/', '*\\/')}`.trimEnd());
  return `  /**\n${lines.join('\n')}\n   */\n`;
}

/** Lines of a comment: a tag with its items as a list. */
const tag = (name: string, items: string[]) => (items.length > 0 ? [name, ...items.map((item) => `- ${item}`)] : []);

/** All operations without streams and lines, whose methods are written by hand. */
const methodsOf = (paths: GatewayDocument['paths']) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !isStream(operation))
      .map(([method, operation]) => ({ method, path, operation, id: operation.operationId })),
  );

const isStream = ({ requestBody, responses }: Operation) =>
  [requestBody?.content, responses['200']?.content].some(
    (content = {}) => 'text/event-stream' in content || 'application/x-ndjson' in content,
  );
