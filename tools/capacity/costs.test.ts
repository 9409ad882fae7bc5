import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { costs as measurement } from '../bench/measurements/costs.ts';
import { root } from '../paths.ts';
import { topology } from '../topology/topology.ts';
import { readCosts } from './costs.ts';

it('the costs that are checked in are of the store as it is: otherwise make bench ONLY=costs', async () => {
  const { cpuMs, residentMib, postgresCpuMs, events } = await readCosts();
  const names = (...values: object[]) => values.map((value) => Object.keys(value).sort());
  expect(names(cpuMs, residentMib)).toEqual([
    [...measurement.components, 'kafka'].sort(),
    [...measurement.components].sort(),
  ]);
  expect(names(postgresCpuMs, events)).toEqual([
    [...topology.databases, 'shared'].sort(),
    ['account', 'inventory', 'order', 'payment'],
  ]);
});

it('has what an order leaves in every table: otherwise make bench ONLY=costs', async () => {
  const { tableBytes } = await readCosts();
  const measured = topology.services.filter(({ name, database }) => database && measurement.components.includes(name));
  for (const database of new Set(measured.map((service) => service.database ?? ''))) {
    const schema = await readFile(join(root, 'services', database, 'prisma/schema.prisma'), 'utf8');
    const names = [...schema.matchAll(/@@map\("(\w+)"\)/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(Object.keys(tableBytes)).toEqual(expect.arrayContaining(names));
  }
});
