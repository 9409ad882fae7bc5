import { stringify } from 'yaml';
import { renderGateway } from '../local/components/gateway.ts';
import { nodeFlags } from '../local/components/services.ts';
import { withBlocks } from '../written-blocks.ts';
import { type Service, topology } from './topology.ts';

// Writes compose.yaml, for machines that have only Docker, from the values of the chart. Called by make golden.

const folder = 'examples/compose';

/** Compose would replace $ by its own variables. */
const escaped = (text: string) => text.replaceAll('$', '$$$$');

/** The command of the image, with secrets in its environment. Each secret is a file in the volume `keys`. */
function entrypointOf({ entry, database, secrets }: Service): string[] {
  const keys = ['JWT_SECRET_KEY', 'CONSOLE_TOKEN', 'WEBHOOK_KEYS'].filter((key) => secrets.includes(key));
  const url = `postgresql://${database}:$(cat /keys/DATABASE_PASSWORD)@postgres/${database}`;
  const exported = keys.map((key) => `export ${key}="$(cat /keys/${key})"; `);
  if (database) exported.push(`export DATABASE_URL="${url}"; `);
  return ['sh', '-c', escaped(`${exported.join('')}exec node ${nodeFlags.join(' ')} ${entry}`)];
}

function composed(service: Service): object {
  const { name, alias, image, env, group, usesKafka } = service;
  return {
    image: `store/${image}`,
    build: { context: '../../', dockerfile: 'services/Dockerfile', args: { SERVICE: image } },
    working_dir: `/app/services/${image}`,
    entrypoint: entrypointOf(service),
    volumes: ['keys:/keys:ro'],
    depends_on: { keys: { condition: 'service_completed_successfully' } },
    environment: {
      ...env,
      OTEL_SERVICE_NAME: name,
      ...(usesKafka && { KAFKA_BROKERS: 'kafka:9092' }),
      ...(group && { CONSUMER_GROUP: group }),
    },
    // The console reads the metrics of all replicas by this name.
    networks: { default: { aliases: [`${alias}-replicas`] } },
    ...(service.secrets.includes('CONSOLE_TOKEN') && {
      ports: [`127.0.0.1:\${CONSOLE_PORT:-${service.localPort}}:8091`],
    }),
    restart: 'unless-stopped',
  };
}

/** Text by path of the files that make golden writes: compose.yaml and the configuration of its gateway. */
export async function composeFiles(): Promise<Record<string, string>> {
  const upstreams = Object.fromEntries(topology.services.map(({ alias }) => [alias, { host: alias, port: 8080 }]));
  const global = { shop: { enabled: true } };
  const { 'envoy.yaml': envoy } = await renderGateway({ global, upstreams });
  const services = Object.fromEntries(topology.services.map((service) => [service.alias, composed(service)]));
  const indented = (text: string, by: number) => text.trimEnd().replaceAll(/^/gm, ' '.repeat(by));
  const blocks = {
    services: indented(stringify(services, { lineWidth: 0, aliasDuplicateObjects: false }), 2),
    databases: indented(topology.databases.map((name) => `create ${name}`).join('\n'), 6),
  };
  return {
    [`${folder}/compose.yaml`]: withBlocks(`${folder}/compose.yaml`, blocks),
    [`${folder}/envoy.yaml`]: `# Written by make golden from the values of the chart.\n${envoy}`,
  };
}
