import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { z } from 'zod';
import { root } from '../paths.ts';

type Shape = Record<string, z.ZodType>;

/** The variables of each process: a service has `configSchema`, its worker `workerConfigSchema`. */
export async function readShapes(): Promise<[process: string, Shape][]> {
  const shapes: [string, Shape][] = [];
  for (const service of readdirSync(join(root, 'services')).sort()) {
    const file = join(root, 'services', service, 'src/config.ts');
    if (!existsSync(file)) continue;
    const exported: Record<string, { shape?: Shape }> = await import(pathToFileURL(file).href);
    for (const [name, { shape }] of Object.entries(exported)) {
      const [, process] = /^(\w*?)[cC]onfigSchema$/.exec(name) ?? [];
      if (shape && process !== undefined) shapes.push([process ? `${service}-${process}` : service, shape]);
    }
  }
  return shapes;
}

function defaultOf(schema: z.ZodType): string {
  const { success, data } = schema.safeParse(undefined);
  if (!success) return 'required';
  return data === undefined || String(data) === '' ? '' : `\`${data}\``;
}

/** Rows of variable, processes, default and description, from the schemas of the services, sorted by name. */
export async function variableRows(): Promise<string[][]> {
  const shapes = await readShapes();
  const users = new Map<string, string[]>();
  for (const [process, shape] of shapes) {
    for (const [name, schema] of Object.entries(shape)) {
      const { description } = schema;
      if (description === undefined) throw new Error(`${name} of ${process} has no describe().`);
      const row = JSON.stringify([`\`${name}\``, defaultOf(schema), description]);
      users.set(row, [...(users.get(row) ?? []), process]);
    }
  }
  const rows = [...users].map(([row, processes]) => {
    const [name, value, description] = JSON.parse(row);
    return [name, processes.length === shapes.length ? 'all' : processes.join(', '), value, description];
  });
  return rows.sort(([one], [other]) => one.localeCompare(other));
}
