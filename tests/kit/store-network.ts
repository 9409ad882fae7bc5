import { freePort } from '../../tools/free-port.ts';
import type { Ports } from '../../tools/local/ports.ts';
import type { Connections } from '../../tools/local/store.ts';
import { topology } from '../../tools/topology/topology.ts';

/** The port of the TCP proxy through which one component reaches another that listens on `port`. */
export type ProxyPort = (from: string, to: string, port: number) => Promise<number>;

/** For startStore: makes components reach one another through proxies. */
export const throughProxies =
  (proxyPort: ProxyPort) =>
  async (ports: Ports): Promise<Connections> => {
    const proxied = new Map<string, number>();
    const listeners: { port: number; proxyPort: number }[] = [];
    for (const [from, to] of pairs()) {
      // A broker tells its clients where to reach it, so each client needs its own listener.
      const port = to === 'kafka' ? await freePort() : ports.of(to);
      const own = await proxyPort(from, to, port);
      proxied.set(`${from} ${to}`, own);
      if (to === 'kafka') listeners.push({ port, proxyPort: own });
    }
    return { listeners, from: (component) => (to) => proxied.get(`${component} ${to}`) ?? ports.of(to) };
  };

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
