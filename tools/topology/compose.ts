import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { renderGateway } from '../local/components/gateway.ts';
import { nodeFlags } from '../local/components/services.ts';
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

/** Made at the first start, a file each in the volume of this name. */
const databasePassword = 'DATABASE_PASSWORD';
const keys = ['JWT_SECRET_KEY', 'CONSOLE_TOKEN', databasePassword];
const needsKeys = { volumes: ['keys:/keys:ro'], depends_on: { keys: { condition: 'service_completed_successfully' } } };
const makeKeys = `
const { existsSync, writeFileSync } = require('node:fs');
for (const name of ${JSON.stringify(keys)})
  if (!existsSync('/keys/' + name))
    writeFileSync('/keys/' + name, require('node:crypto').randomBytes(32).toString('hex'), { mode: 0o444 });`;

/** The command of the image, with what is secret in its environment. */
function withKeys({ image, entry, database, secrets }: Service) {
  const exports = keys.filter((key) => secrets.includes(key)).map((key) => `export ${key}="$(cat /keys/${key})"`);
  if (database)
    exports.push(
      `export DATABASE_URL="postgresql://${database}:$(cat /keys/${databasePassword})@postgres/${database}"`,
    );
  return {
    working_dir: `/app/services/${image}`,
    entrypoint: ['sh', '-c', escaped([...exports, `exec node ${nodeFlags.join(' ')} ${entry}`].join('; '))],
    ...needsKeys,
  };
}

/** The console answers its own machine only. In its network this is what kubectl port-forward is in a cluster. */
const forward = `
const { connect, createServer } = require('node:net');
createServer((client) => {
  const console = connect(8080, '127.0.0.1');
  for (const [one, other] of [[client, console], [console, client]])
    one.pipe(other).on('error', () => one.destroy());
}).listen(8091);`;

function composed(service: Service): object {
  const { name, alias, image, env, group, usesKafka } = service;
  return {
    ...build(image),
    ...withKeys(service),
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

/** Numbers that JavaScript has not are text, as in the JSON of protocol buffers. */
const asJson = (yaml: string) =>
  JSON.stringify(parse(yaml, { intAsBigInt: true }), (_, value) => {
    if (typeof value !== 'bigint') return value;
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  });

/** Text by path of the files that make golden writes: compose.yaml, and the configuration of its gateway as one line of JSON. */
export async function composeFiles(): Promise<Record<string, string>> {
  const upstreams = Object.fromEntries(topology.services.map(({ alias }) => [alias, { host: alias, port: 8080 }]));
  const global = { shop: { enabled: true } };
  const { 'envoy.yaml': envoy } = await renderGateway({ global, upstreams });
  const statements = topology.databases.map(
    (name) => `create role "${name}" login password :'password';\ncreate database "${name}" owner "${name}";\n`,
  );
  const databases = `psql -qU postgres -v ON_ERROR_STOP=1 -v password="$(cat /keys/${databasePassword})" <<'SQL'
${statements.join('')}SQL
`;
  const restart = 'unless-stopped';
  const document = {
    name: 'store',
    services: {
      gateway: {
        image: imageIn('gateway'),
        entrypoint: ['envoy', '-c', '/etc/envoy/envoy.yaml', '--disable-hot-restart', '--log-level', 'warning'],
        configs: [{ source: 'envoy', target: '/etc/envoy/envoy.yaml' }],
        ports: [`127.0.0.1:\${GATEWAY_PORT:-8080}:8080`],
        restart,
      },
      ...Object.fromEntries(topology.services.map((service) => [service.alias, composed(service)])),
      'console-port': {
        ...build('console'),
        network_mode: 'service:console',
        entrypoint: ['node', '--eval', escaped(forward)],
        restart,
      },
      shop: { ...build('shop'), networks: { default: { aliases: ['shop-pods'] } }, restart },
      postgres: {
        image: imageIn('postgres'),
        ...needsKeys,
        environment: { POSTGRES_PASSWORD_FILE: `/keys/${databasePassword}` },
        configs: [{ source: 'databases', target: '/docker-entrypoint-initdb.d/databases.sh' }],
        volumes: [...needsKeys.volumes, 'postgres:/var/lib/postgresql'],
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
    configs: { envoy: { file: './envoy.yaml' }, databases: { content: escaped(databases) } },
    volumes: { keys: {}, postgres: {}, kafka: {} },
  };
  const compose = stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
  return {
    [`${folder}/compose.yaml`]: `# The store on a machine that has Docker: see README.md.\n${written}${compose}`,
    [`${folder}/envoy.yaml`]: `${written}${asJson(envoy)}\n`,
  };
}
