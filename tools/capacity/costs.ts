import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { root } from '../paths.ts';

const amount = z.number().nonnegative();
const byName = z.record(z.string(), amount);

/** The cost of an order from its request at the gateway until it is shipped and all groups have handled its events. */
export const costsSchema = z.strictObject({
  measuredAt: z.iso.datetime(),
  commit: z.string(),
  machine: z.string(),
  /** CPU ms by component: the gateway, Kafka, the services. */
  cpuMs: byName,
  /** CPU ms of PostgreSQL by database; `shared` is what serves none alone, such as the writer of the write-ahead log. */
  postgresCpuMs: byName,
  /** Bytes of rows and indexes by table, in all databases, with the dead rows that vacuum gives to later ones. */
  tableBytes: byName,
  walBytes: amount,
  transactions: amount,
  /** Bytes in all topics, stored once. */
  kafkaBytes: amount,
  residentMib: byName,
  events: byName,
  /** The highest rate of one process per second, on this machine: events of a full outbox, events of a full topic. */
  mostPerSecond: z.object({ relay: amount, analytics: amount, invoice: amount }),
});
export type Costs = z.infer<typeof costsSchema>;

export const costsFile = join(root, 'tools/capacity/costs.json');

export const readCosts = async (): Promise<Costs> => costsSchema.parse(JSON.parse(await readFile(costsFile, 'utf8')));

export const writeCosts = (costs: Costs): Promise<void> =>
  writeFile(costsFile, `${JSON.stringify(costs, undefined, 2)}\n`);
