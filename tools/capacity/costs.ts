import json from './costs.json' with { type: 'json' };

type ByName = Record<string, number>;

/** The cost of an order from its request at the gateway until it is shipped and all groups have handled its events. */
export interface Costs {
  /** Day, commit and machine. */
  measured: string;
  /** CPU ms by component: the gateway, Kafka, the services. */
  cpuMs: ByName;
  /** CPU ms of PostgreSQL by database; `shared` is what serves none alone, such as the writer of the write-ahead log. */
  postgresCpuMs: ByName;
  /** Bytes of rows and indexes by table, in all databases, with the dead rows that vacuum gives to later ones. */
  tableBytes: ByName;
  walBytes: number;
  transactions: number;
  /** Bytes in all topics, stored once. */
  kafkaBytes: number;
  residentMib: ByName;
  /** The highest rate of one process per second, on that machine: events of a full outbox, events of a full topic. */
  mostPerSecond: Record<'relay' | 'analytics' | 'invoice', number>;
}

/** As make bench ONLY=costs has measured them. */
export const costs: Costs = json;
