import { freePort } from '../free-port.ts';
import { topology } from '../topology/topology.ts';
import type { Ports } from './ports.ts';

/** The port of a TCP proxy through which a component is to reach another one, which listens on `port`. */
export type ProxyPort = (from: string, to: string, port: number) => Promise<number>;

/** Where components reach one another: at their own ports, or through proxies. */
export async function createConnections(ports: Ports, proxyPort?: ProxyPort) {
  const proxied = new Map<string, number>();
  const listeners: { port: number; proxyPort: number }[] = [];
  for (const [from, to] of proxyPort ? pairs() : []) {
    // A broker tells its clients where to reach it, so that each of them needs a listener of its own.
    const port = to === 'kafka' ? await freePort() : ports.of(to);
    const own = (await proxyPort?.(from, to, port)) ?? port;
    proxied.set(`${from} ${to}`, own);
    if (to === 'kafka') listeners.push({ port, proxyPort: own });
  }
  return {
    /** Those that Kafka needs besides its own. */
    listeners,
    /** Where a component reaches the others. */
    from: (component: string) => (to: string) => proxied.get(`${component} ${to}`) ?? ports.of(to),
  };
}

/** The connections between components. */
function pairs(): [from: string, to: string][] {
  const { services, routes } = topology;
  const behindGateway = new Set(['auth', ...Object.values(routes).map(({ name }) => name)]);
  return [
    ...[...behindGateway].map((name): [string, string] => ['gateway', name]),
    ...services.flatMap(({ name, calls, database, group }) => {
      const called = services.filter(({ alias }) => calls.includes(alias)).map((service) => service.name);
      const others = [...called, ...(database ? ['postgres'] : []), ...(group ? ['kafka'] : [])];
      return others.map((other): [string, string] => [name, other]);
    }),
  ];
}
