/** A figure and the limit that it has to keep. */
export interface Row {
  name: string;
  measured: string;
  /** NaN if the measurement failed. */
  result: number;
  /** The unit of the result, for example `MiB`; a ratio has none. */
  unit?: string;
  atLeast?: number;
  atMost?: number;
}

/** Names with units and limits; `*` in a name stands for one of several things. */
const figures = {
  start: { name: 'Start of the whole store', atMost: 20, unit: 's' },
  products: { name: 'GET /products?size=100, service against bare server', atLeast: 1 },
  catalogue: { name: 'GET /products?size=100 at the gateway, with a cookie, service against bare server', atLeast: 1 },
  compression: { name: 'GET /products?size=100 at the gateway, compressed against as it is', atMost: 1.6 },
  orders: { name: 'POST /orders, 3 items, service against bare server', atLeast: 0.4 },
  product: { name: 'GET /products/{id}, CPU of the service', atMost: 0.4, unit: 'ms' },
  account: { name: 'GET /accounts, CPU of the service', atMost: 0.6, unit: 'ms' }, // by a call of Prisma's (decisions/0007)
  order: { name: 'GET /orders/{id}, CPU of the service', atMost: 0.4, unit: 'ms' },
  check: { name: 'A request with a token check against one of the open list', atMost: 2.8 },
  hostile: { name: 'Check under hostile cookies (*) against an ordinary one', atMost: 8 },
  cost: {
    name: 'An order from its request to CONFIRMED and all groups, CPU of all processes',
    atMost: 10,
    unit: 'ms',
  },
  rate: { name: 'The same, orders per second in a closed loop of * connections', atLeast: 180, unit: 'per s' },
  delay: { name: 'Order placed through the gateway to CONFIRMED, p50', atMost: 60, unit: 'ms' },
  longDelay: { name: 'The same, p99', atMost: 200, unit: 'ms' },
  shipped: { name: 'An order until it is shipped, CPU of all processes', unit: 'ms' },
  relay: { name: 'Relay from a full outbox', atLeast: 5_000, unit: 'per s' },
  group: { name: 'Group * from a full topic', atLeast: 1_500, unit: 'per s' },
  idle: { name: 'The whole store idle, share of a core', atMost: 6, unit: '%' },
  streamMemory: { name: 'Memory of order of its own with * open streams', atMost: 200, unit: 'MiB' },
  streamCpu: { name: '* streams without a change, share of a core', atMost: 15, unit: '%' },
  streamDelay: { name: 'From the commit of a change to its event, p95', atMost: 500, unit: 'ms' },
  memory: { name: 'Memory of * of its own', atMost: 110, unit: 'MiB' },
  failed: { name: '* failed' },
} satisfies Record<string, Omit<Row, 'measured' | 'result'>>;

/** @param of what the `*` of its name stands for */
export function figure(key: keyof typeof figures, result: number, measured: string, of: string | number = ''): Row {
  const { name, ...limits } = figures[key];
  return { name: name.replace('*', String(of)), measured, result, ...limits };
}
