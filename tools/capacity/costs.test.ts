import { costs as measurement } from '../bench/measurements/costs/costs.ts';
import { topology } from '../topology/topology.ts';
import { readCosts } from './costs.ts';

it('the costs that are checked in are of the store as it is: otherwise make bench ONLY=costs', async () => {
  const { cpuMs, sentBytes, residentMib, postgresCpuMs, tableBytes, events } = await readCosts();
  const names = (...values: object[]) => values.map((value) => Object.keys(value).sort());
  const components = [...measurement.components, 'kafka'].sort();
  expect(names(cpuMs, sentBytes)).toEqual([components, [...components, 'postgres'].sort()]);
  expect(names(residentMib)).toEqual([[...measurement.components].sort()]);
  expect(names(postgresCpuMs)).toEqual([[...topology.databases, 'shared'].sort()]);
  expect(names(tableBytes, events)).toEqual([[...topology.databases].sort(), ['inventory', 'order', 'payment']]);
});
