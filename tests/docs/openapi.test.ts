import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { parse } from 'yaml';
import { textsOfRoutes } from '../../tools/api/texts.ts';
import { root } from '../../tools/paths.ts';
import { read } from '../kit/read.ts';

const file = 'docs/openapi.yaml';
let texts: Record<string, string>;
let text: string;

beforeAll(async () => {
  texts = await textsOfRoutes();
  text = texts[file] ?? '';
});

const lint = async (source: string) => {
  // The server is the local run, and the contract requires the path /api/v1/status/.
  const off = { 'no-server-example.com': 'off', 'no-path-trailing-slash': 'off' } as const;
  const config = await createConfig({ extends: ['recommended'], rules: off });
  const problems = await lintFromString({ source, absoluteRef: join(root, file), config });
  return problems.map(({ ruleId, message, location: [at] }) => `${ruleId}: ${message} ${at?.pointer}`);
};

describe(file, () => {
  it("is up to date with make api, as are the client's types", async () => {
    expect(Object.keys(texts)).toContain('clients/typescript/src/schema.ts');
    for (const [path, expected] of Object.entries(texts)) expect(read(path)).toBe(expected);
  });

  it('passes a linter', async () => {
    expect(await lint(text)).toEqual([]);
  });

  it('is linted: an operation without a name is an error', async () => {
    expect(await lint(text.replace('operationId: placeOrder', 'x-name: order'))).toEqual([
      expect.stringMatching(/^operation-operationId: .*orders/),
    ]);
  });

  it('has an example for each schema that a client sends or lists', () => {
    const { schemas } = parse(text).components;
    const without = Object.keys(schemas).filter((name) => !schemas[name].examples && !/Page$|^Page/.test(name));
    expect(without).toEqual([]);
  });
});
