import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { renderGateway } from '../local/components/gateway.ts';
import { root } from '../paths.ts';
import { builtImages } from './images.ts';
import { type Service, topology } from './topology.ts';

// compose.yaml for machines that have Docker and nothing else, from the values of the chart. Written by make golden.

const folder = 'examples/compose';
const written = '# Written by make golden from the values of the chart.\n';

const chart = (file: string) => readFileSync(join(root, 'charts/store', file), 'utf8');
const imageIn = (subchart: string): string => parse(chart(`charts/${subchart}/values.yaml`)).image;
/** From where compose.yaml is. */
const fromRoot = (path: string) => `../../${path}`;
/** Compose takes $ for a variable of its own. */
const escaped = (text: string) => text.replaceAll('$', '$$$$');

/** The image of a service, and how it is built. */
function build(image: string) {
  const dockerfile = builtImages.find(({ name }) => name === image)?.dockerfile;
  return { image: `store/${image}`, build: { context: fromRoot(''), dockerfile, args: { SERVICE: image } } };
}

/** Made at the first start, for those who have no other Secret. */
const keys = ['JWT_SECRET_KEY', 'CONSOLE_TOKEN'];
const makeKeys = `
const { existsSync, writeFileSync } = require('node:fs');
for (const name of ${JSON.stringify(keys)})
  if (!existsSync('/keys/' + name))
    writeFileSync('/keys/' + name, require('node:crypto').randomBytes(32).toString('hex'), { mode: 0o444 });`;

/** The command of the image, with the keys that the service knows in its environment. */
function withKeys({ image, entry, secrets }: Service) {
  const own = keys.filter((key) => secrets.includes(key));
  if (own.length === 0) return { command: [entry] };
  const [, ...entrypoint]: string[] = JSON.parse(
    /^ENTRYPOINT (.+)$/m.exec(readFileSync(join(root, 'services/Dockerfile'), 'utf8'))?.[1] ?? '',
  );
  const exports = own.map((key) => `export ${key}="$(cat /keys/${key})"`).join('; ');
  return {
    entrypoint: ['sh', '-c', escaped(`${exports}; exec node ${entrypoint.join(' ')} ${entry}`)],
    volumes: ['keys:/keys:ro'],
    depends_on: { keys: { condition: 'service_completed_successfully' } },
    working_dir: `/app/services/${image}`,
  };
}

function composed(service: Service): object {
  const { name, alias, image, env, database, group } = service;
  return {
    ...build(image),
    ...withKeys(service),
    environment: {
      ...env,
      OTEL_SERVICE_NAME: name,
      ...(database && { DATABASE_URL: `postgresql://${database}@postgres/${database}` }),
      ...(group && { KAFKA_BROKERS: 'kafka:9092', CONSUMER_GROUP: group }),
    },
    // The console reads the metrics of all replicas by this name.
    networks: { default: { aliases: [`${alias}-replicas`] } },
    ...(service.secrets.includes('CONSOLE_TOKEN') && {
      ports: [`127.0.0.1:\${CONSOLE_PORT:-${service.localPort}}:8080`],
    }),
    restart: 'unless-stopped',
  };
}

/** Text by path of the files that make golden writes: compose.yaml, and the configuration of its gateway as one line of JSON. */
export async function composeFiles(): Promise<Record<string, string>> {
  const upstreams = Object.fromEntries(topology.services.map(({ alias }) => [alias, { host: alias, port: 8080 }]));
  const global = { shop: { enabled: true } };
  const { 'envoy.yaml': envoy } = await renderGateway({ global, upstreams });
  const databases = topology.databases.map(
    (name) => `create role "${name}" login;\ncreate database "${name}" owner "${name}";\n`,
  );
  const restart = 'unless-stopped';
  const document = {
    name: 'store',
    services: {
      gateway: {
        image: imageIn('gateway'),
        command: ['envoy', '-c', '/etc/envoy/envoy.yaml', '--disable-hot-restart', '--log-level', 'warning'],
        configs: [{ source: 'envoy', target: '/etc/envoy/envoy.yaml' }],
        ports: [`127.0.0.1:\${GATEWAY_PORT:-8080}:8080`],
        restart,
      },
      ...Object.fromEntries(topology.services.map((service) => [service.alias, composed(service)])),
      shop: { ...build('shop'), networks: { default: { aliases: ['shop-pods'] } }, restart },
      postgres: {
        image: imageIn('postgres'),
        // Nobody else reaches it: it is on the network of this file alone, and publishes no port.
        environment: { POSTGRES_HOST_AUTH_METHOD: 'trust' },
        configs: [{ source: 'databases', target: '/docker-entrypoint-initdb.d/databases.sql' }],
        volumes: ['postgres:/var/lib/postgresql'],
        restart,
      },
      kafka: {
        image: imageIn('kafka'),
        user: '0:0',
        entrypoint: ['sh', '/config/start.sh'],
        volumes: ['kafka:/kafka', `${fromRoot('charts/store/charts/kafka/files')}:/config:ro`],
        restart,
      },
      topics: {
        ...build('order'),
        entrypoint: ['node', '/app/services/shared/dist/messaging/create-topics.js'],
        environment: { KAFKA_BROKERS: 'kafka:9092' },
        restart: 'on-failure',
      },
      keys: {
        ...build('auth'),
        user: '0:0',
        entrypoint: ['node', '--eval', escaped(makeKeys)],
        volumes: ['keys:/keys'],
      },
    },
    configs: { envoy: { file: './envoy.yaml' }, databases: { content: databases.join('') } },
    volumes: { keys: {}, postgres: {}, kafka: {} },
  };
  const compose = stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
  return {
    [`${folder}/compose.yaml`]: `# The store on a machine that has Docker: see README.md.\n${written}${compose}`,
    [`${folder}/envoy.yaml`]: `${written}${JSON.stringify(parse(envoy))}\n`,
  };
}
