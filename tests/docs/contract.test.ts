import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { root } from '../../tools/paths.ts';
import { documentAt, filesBelow, inCode, tableWith } from './_documents.ts';

it('every code of a problem has a section that says what to do, and no other has', () => {
  const files = filesBelow('services').filter((file) => /\/src\/.*\.ts$/.test(file) && !file.includes('/generated/'));
  const source = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const used = [...source.matchAll(/\bcode: '(?!custom')([a-z-]+)'|urn:problem:store:([a-z-]+)/g)];
  const sections = [...documentAt('docs/problems.md').text.matchAll(/^## (.+)\n\n\d{3}\. /gm)].map(([, code]) => code);
  expect(sections.sort()).toEqual([...new Set(used.map(([, code, inUrn]) => code ?? inUrn))].sort());
});

describe('the table of variables', () => {
  type Shape = Record<string, z.ZodType>;

  /** The variables of each component: of a service `configSchema`, of its worker `workerConfigSchema`. */
  async function readSchemas(): Promise<Map<string, Shape>> {
    const schemas = new Map<string, Shape>();
    for (const service of readdirSync(join(root, 'services'))) {
      const file = join(root, 'services', service, 'src/config.ts');
      if (!existsSync(file)) continue;
      const exported: Record<string, { shape?: Shape }> = await import(file);
      for (const [name, { shape }] of Object.entries(exported)) {
        const [, process] = /^(\w*?)[cC]onfigSchema$/.exec(name) ?? [];
        if (shape !== undefined && process !== undefined)
          schemas.set(process ? `${service}-${process}` : service, shape);
      }
    }
    return schemas;
  }

  /** The behaviour of a component without the variable. */
  function defaultOf(schema: z.ZodType): string {
    const { success, data } = schema.safeParse(undefined);
    if (!success) return 'required';
    return data === undefined || String(data) === '' ? 'none' : `\`${data}\``;
  }

  /** Components that a table means by one word: those that have this variable. */
  const groups: Record<string, string> = {
    all: 'PORT',
    database: 'DATABASE_URL',
    events: 'KAFKA_BROKERS',
    identity: 'BEARER_VALIDATION',
  };

  it('equals the schemas of the services', async () => {
    const schemas = await readSchemas();
    expect(schemas.size).toBeGreaterThan(8);
    const having = (variable: string) => [...schemas].flatMap(([name, shape]) => (variable in shape ? [name] : []));
    const documented = tableWith(documentAt('docs/variables.md'), 'Variable', 'Used by', 'Default').flatMap(
      ([variable = '', users = '', value]) =>
        users
          .split(', ')
          .flatMap((user) => (groups[user] === undefined ? [user] : having(groups[user])))
          .map((component) => `${component} ${inCode(variable)[0]}: ${value}`),
    );
    const actual = [...schemas].flatMap(([component, shape]) =>
      Object.entries(shape).map(([variable, schema]) => `${component} ${variable}: ${defaultOf(schema)}`),
    );
    expect(documented.sort()).toEqual(actual.sort());
  });
});
