import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../tools/free-port.ts';
import { openPasswords } from '../../tools/local/components/postgres.ts';
import { type Store, startStore } from '../../tools/local/store.ts';
import { cacheDir } from '../../tools/paths.ts';
import { topology } from '../../tools/topology/topology.ts';
import { ruleGroups } from '../kit/observability/alerts.ts';
import { metricsSettings } from '../kit/observability/kafka-metrics.ts';
import { startExporter } from '../kit/postgres/postgres-exporter.ts';
import { throughProxies } from '../kit/store-network.ts';
import { createTcpProxy } from '../kit/tcp-proxy.ts';
import { startPrometheus, type Target } from './prometheus.ts';
import { factor, shorten } from './rules.ts';
import { startSecondBroker } from './second-broker.ts';
import { startTraffic } from './traffic.ts';

/** Between this service and Kafka there is a TCP proxy. */
export const behindProxy = 'notification';

/** The processes that faults act on. */
export type Stage = Awaited<ReturnType<typeof setStage>>;

/**
 * The store, its traffic, and a Prometheus with the chart's rules. @param exporter command of postgres_exporter,
 * if there is one
 */
export async function setStage(
  { prometheus: command, exporter }: { prometheus: string; exporter?: string },
  log: (line: string) => void,
) {
  const dir = join(cacheDir, 'gameday');
  await rm(dir, { recursive: true, force: true });
  const groups = shorten(await ruleGroups('gameday'));
  let proxy: Awaited<ReturnType<typeof createTcpProxy>> | undefined;
  const [kafkaMetricsPort, secondMetricsPort] = [await freePort(), await freePort()];
  const store = await startStore({
    dir,
    ports: 'free',
    log,
    env: {
      PENDING_TIMEOUT_SECONDS: String(900 / factor), // alerts wait for it, and are shortened, too
      SHIP_AFTER_SECONDS: '1',
      INITIAL_STOCK: '1000000',
    },
    // The least that PostgreSQL allows: a database grows old within seconds.
    postgresSettings: { fsync: 'off', autovacuum_freeze_max_age: '100000' },
    kafkaSettings: await metricsSettings(kafkaMetricsPort),
    connect: throughProxies(async (from, to, port) => {
      if (from !== behindProxy || to !== 'kafka') return port;
      proxy = await createTcpProxy(`kafka://127.0.0.1:${port}`);
      return Number(new URL(proxy.url).port);
    }),
  });
  const passwords = await openPasswords(join(dir, 'data', 'postgres'));
  const superuserUrl = (database: string) =>
    `postgresql://postgres:${passwords.known('postgres')}@127.0.0.1:${store.ports.of('postgres')}/${database}`;
  const running = exporter && (await startExporter(exporter, superuserUrl('postgres'), join(dir, 'log')));
  const stopTraffic = await startTraffic(store.gatewayUrl);
  const prometheus = await startPrometheus(command, join(dir, 'prometheus'), groups, [
    ...targetsOf(store),
    { address: `127.0.0.1:${kafkaMetricsPort}`, service: 'kafka', pod: 'kafka-1' },
    { address: `127.0.0.1:${secondMetricsPort}`, service: 'kafka', pod: 'kafka-2' },
    ...(running ? [{ address: new URL(running.url).host, service: 'postgres', pod: 'postgres-0', waits: true }] : []),
  ]);
  if (proxy === undefined) throw new Error(`${behindProxy} does not connect to Kafka.`);
  return {
    store,
    prometheus,
    /** Between {@link behindProxy} and Kafka. */
    proxy,
    /** URL of a superuser, for a database. */
    superuserUrl,
    startSecondBroker: () => startSecondBroker(store, secondMetricsPort),
    async stop() {
      await stopTraffic();
      await prometheus.stop();
      if (running) await running.stop();
      await store.stop();
    },
  };
}

/** The components as the PodMonitor finds them. */
const targetsOf = (store: Store): Target[] => [
  { address: new URL(store.metricsUrl('gateway')).host, service: 'gateway', pod: 'gateway-0' },
  ...topology.services.map(({ name, alias, group }) => ({
    address: new URL(store.metricsUrl(name)).host,
    service: alias,
    pod: `${alias}-0`,
    waits: group !== undefined,
  })),
];
