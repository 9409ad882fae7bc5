import { type ProxyPort, throughProxies } from '../../kit/store-network.ts';
import { createTcpProxy } from '../../kit/tcp-proxy.ts';

interface Link {
  from: string;
  to: string;
  proxy: Awaited<ReturnType<typeof createTcpProxy>>;
}

export type Network = ReturnType<typeof createNetwork>;

/** A TCP proxy for each pair of components of which one connects to the other. */
export function createNetwork() {
  const links: Link[] = [];
  const proxyPort: ProxyPort = async (from, to, port) => {
    const proxy = await createTcpProxy(`tcp://127.0.0.1:${port}`);
    links.push({ from, to, proxy });
    return Number(new URL(proxy.url).port);
  };
  return {
    /** For the store that is to run in this network. */
    connect: throughProxies(proxyPort),
    /** From and to a component. */
    linksOf: (component: string): Link[] => links.filter(({ from, to }) => from === component || to === component),
    close: () => Promise.all(links.map(({ proxy }) => proxy.close())),
  };
}
