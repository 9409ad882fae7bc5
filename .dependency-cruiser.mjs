// Who may import whom: docs/development.md

import { readFileSync } from 'node:fs';

/** Modules of shared, each with those that it may import. */
const shared = {
  values: [],
  observability: ['values'],
  database: ['values', 'observability'],
  auth: ['values', 'observability'],
  http: ['values', 'observability', 'database', 'auth'],
  contracts: ['values', 'observability', 'http'],
  messaging: ['values', 'observability', 'database', 'contracts'],
  outgoing: ['values', 'observability', 'database'],
  service: ['values', 'observability', 'database', 'auth', 'http', 'contracts', 'messaging'],
};

/** Folders of shared/messaging, each with those that it may import. */
const messaging = {
  kafka: [],
  outbox: ['kafka'],
  'dead-letters': ['kafka'],
  consumer: ['kafka', 'dead-letters'],
};

/** Layers of a service, by the names of their files. All other files are use cases. */
const layers = {
  entry: 'main|worker|service|import[^/]*',
  config: 'config',
  routes: '[^/]*(routes|schemas)',
  repository: '[^/]*-repository',
  client: '[^/]*-client',
  group: '(consumer-)?group',
  router: '[^/]*-router',
};

const test = '/test/|\\.test\\.ts$';
const layer = (name) => `^services/(?!shared/).*/(${layers[name]})\\.ts$`;
const service = '^services/(?!shared/)[^/]+/src/';
const inShared = (files) => `^services/shared/src/(${files})`;
const npm = (names) => `(^|/)node_modules/(${names})/`;

const database = [npm('@prisma|pg|pg-[a-z-]+'), '/generated/', inShared('database/(database|migrate|sql)\\.ts')];
const broker = [npm('kafkajs'), inShared('messaging/(kafka/|create-topics|consumer/consumer|outbox/relay)')];
const server = [npm('express'), inShared('http/(app|openapi|body)\\.ts')];
const start = [layer('entry'), inShared('service/run-service'), '^(node:)?process$'];

/** Forbids files to import others, but for their types. */
const apart = (name, comment, from, path) => ({
  name,
  comment,
  severity: 'error',
  from: { pathNot: test, ...from },
  to: { path, dependencyTypesNot: ['type-only'] },
});

const { exports: door } = JSON.parse(readFileSync(new URL('services/shared/package.json', import.meta.url), 'utf8'));
/** What services may import of shared: all entries but the last one, which tests and tools need. */
const { './*': _, ...forServices } = door;
const open = Object.keys(forServices).map((name) => name.slice('./'.length).replace('*', '[^/]+'));

export default {
  forbidden: [
    {
      name: 'door-of-shared',
      comment:
        'What services may import of shared stands in `exports` of its package.json; tests and tools may import all.',
      severity: 'error',
      from: { path: service, pathNot: test },
      to: { path: inShared(''), pathNot: inShared(`(${open.join('|')})\\.ts$`) },
    },
    {
      name: 'services-apart',
      comment: 'Services know one another by HTTP and by topic only.',
      severity: 'error',
      from: { path: '^services/([^/]+)/(src|test)/', pathNot: '^services/shared/' },
      to: { path: '^services/', pathNot: '^services/($1|shared)/' },
    },
    ...Object.entries(shared).map(([name, known]) => ({
      name: `shared-${name}`,
      comment: `shared/${name} may import ${known.map((each) => `shared/${each}`).join(', ') || 'no other module'}.`,
      severity: 'error',
      from: { path: inShared(`${name}/`), pathNot: test },
      to: { path: '^services/[^/]+/src/', pathNot: inShared(`(${[name, ...known].join('|')})/`) },
    })),
    {
      name: 'kafkajs',
      comment: 'One folder knows the Kafka client; it exports types of its own.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/', pathNot: [test, inShared('messaging/kafka/')] },
      to: { path: npm('kafkajs') },
    },
    ...Object.entries(messaging).map(([name, known]) => ({
      name: `messaging-${name}`,
      comment: `messaging/${name} may import ${known.map((each) => `messaging/${each}`).join(', ') || 'no other folder'}.`,
      severity: 'error',
      from: { path: inShared(`messaging/${name}/`), pathNot: test },
      to: { path: inShared('messaging/[^/]+/'), pathNot: inShared(`messaging/(${[name, ...known].join('|')})/`) },
    })),
    apart(
      'routes',
      'Routes and schemas know use cases by their types: no database, no broker, no Express, no repository, no client.',
      { path: layer('routes') },
      [...database, ...broker, ...server, ...start, layer('repository'), layer('client')],
    ),
    apart(
      'repository',
      'A repository knows its database only, which service.ts opens: no HTTP, no broker, no start.',
      { path: layer('repository') },
      [
        npm('@prisma'),
        ...broker,
        ...server,
        ...start,
        inShared('database/(database|migrate)\\.ts'),
        inShared('http/route'),
        layer('routes'),
      ],
    ),
    apart(
      'client',
      'A client knows HTTP only: no database, no broker, no Express, no start.',
      { path: layer('client') },
      [...database, ...broker, ...server, ...start, inShared('http/route'), layer('routes')],
    ),
    apart(
      'use-case',
      'Use cases know repositories and clients by their types: no database, no broker, no Express, no routes, no start.',
      { path: service, pathNot: [test, '/src/generated/', ...Object.keys(layers).map(layer)] },
      [...database, ...broker, ...server, ...start, inShared('http/route'), '/[^/]*routes\\.ts$'],
    ),
    {
      name: 'sql',
      comment: 'sql, join and raw come from shared/database/sql: there is one way to write a statement, and no Kysely.',
      severity: 'error',
      from: { pathNot: ['/generated/', inShared('database/sql\\.ts')] },
      to: { path: npm('@prisma/client|kysely') },
    },
    apart(
      'config',
      'service.ts passes the configuration in.',
      { path: '^services/', pathNot: [test, layer('entry'), inShared('service/')] },
      layer('config'),
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@store/source', 'import', 'node'],
      extensions: ['.ts', '.js'],
    },
  },
};
