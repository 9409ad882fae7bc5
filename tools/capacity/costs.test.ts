import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { costs as measurement } from '../bench/measurements/costs/costs.ts';
import { root } from '../paths.ts';
import { topology } from '../topology/topology.ts';
import { readCosts } from './costs.ts';

it('the costs that are checked in are of the store as it is: otherwise make bench ONLY=costs', async () => {
  const { cpuMs, sentBytes, residentMib, postgresCpuMs, tableBytes, events } = await readCosts();
  const names = (...values: object[]) => values.map((value) => Object.keys(value).sort());
  const components = [...measurement.components, 'kafka'].sort();
  expect(names(cpuMs, sentBytes)).toEqual([components, [...components, 'postgres'].sort()]);
  expect(names(residentMib)).toEqual([[...measurement.components].sort()]);
  expect(names(postgresCpuMs)).toEqual([[...topology.databases, 'shared'].sort()]);
  expect(names(tableBytes, events)).toEqual([
    [...topology.databases].sort(),
    ['account', 'inventory', 'order', 'payment'],
  ]);
});

it('has what an order leaves in every table: otherwise make bench ONLY=costs', async () => {
  const { tableBytes } = await readCosts();
  const measured = Object.entries(tableBytes).filter(([, tables]) => Object.keys(tables).length > 0);
  expect(measured.length).toBeGreaterThan(5);
  for (const [database, tables] of measured) {
    const schema = await readFile(join(root, 'services', database, 'prisma/schema.prisma'), 'utf8');
    const names = [...schema.matchAll(/@@map\("(\w+)"\)/g)].map(([, name]) => name);
    expect(Object.keys(tables)).toEqual(expect.arrayContaining(names));
  }
});
