import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parse } from 'yaml';
import { read } from '../../../tests/kit/read.ts';
import { root } from '../../../tools/paths.ts';

// TypeScript 7 has no language service yet. The client also compiles with 5.9.
const ts: typeof import('../node_modules/typescript/lib/typescript.js') = createRequire(
  join(root, 'clients/typescript/package.json'),
)('typescript');

interface Operation {
  operationId: string;
  summary: string;
  parameters?: { name: string; in: string }[];
  requestBody?: { content?: object };
  responses: Record<string, { description?: string; content?: object }>;
}

const { paths } = parse(read('docs/openapi.yaml')) as { paths: Record<string, Record<string, Operation>> };
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    // Streams of events and of lines have functions of their own.
    .filter(([, { responses, requestBody }]) =>
      [responses[200]?.content, requestBody?.content].every(
        (content = {}) => !('text/event-stream' in content || 'application/x-ndjson' in content),
      ),
    )
    .map(([method, operation]) => ({ ...operation, request: `${method.toUpperCase()} ${path}` })),
);

it('an editor shows the request, parameters and statuses of each method', () => {
  const file = join(root, 'clients/typescript/test/editor.ts');
  const calls = operations.flatMap(({ operationId }) => [`store.${operationId};`, `store.full.${operationId};`]);
  const text = ["import type { Store } from '../src/index.ts';", 'declare const store: Store;', ...calls].join('\n');
  const options = {
    strict: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: [],
  };
  const textOf = (name: string) => (name === file ? text : ts.sys.readFile(name));
  const service = ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const content = textOf(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => root,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: textOf,
  });

  /** Text that the editor shows when hovering over a method's name. */
  const shown = (call: string) => {
    const info = service.getQuickInfoAtPosition(file, text.indexOf(`${call};`) + call.length - 1);
    const tags = info?.tags?.map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`) ?? [];
    return [ts.displayPartsToString(info?.documentation), ...tags].join('\n');
  };
  for (const { operationId, summary, request, parameters = [], responses } of operations)
    for (const call of [`store.${operationId}`, `store.full.${operationId}`]) {
      const hover = shown(call);
      const statuses = Object.keys(responses).map((status) => `- ${status === 'default' ? 'others' : status}: `);
      const inputs = parameters.map(({ name, in: place }) => {
        return `\`${place}.${place === 'header' ? name.toLowerCase() : name}\``;
      });
      for (const part of [summary, `\`${request}\``, ...inputs, ...statuses])
        expect(`${call}: ${hover}`).toContain(part);
    }
}, 60_000);
