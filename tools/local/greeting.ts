import { relative } from 'node:path';
import { cacheDir, root } from '../paths.ts';
import { topology } from '../topology/topology.ts';
import { allowedOrigins } from './components/services.ts';
import { variablesOfCommands } from './ports.ts';
import type { Store } from './store.ts';

/** Path of a service's documentation; the console has that of the gateway, and a worker none. */
function documentationOf(name: string, entry: string): string | undefined {
  if (name === 'console') return '/console/reference/';
  return entry === 'dist/main.js' ? '/apidocs-ui.html' : undefined;
}

/** What `make run` says once the store is ready: where everything is, and what to do next. */
export function greeting({ ports, kafkaBrokers }: Pick<Store, 'ports' | 'kafkaBrokers'>, seconds: number): string {
  const services = topology.services.map(({ name, entry }) => {
    const url = `http://localhost:${ports.of(name)}`;
    const page = documentationOf(name, entry);
    const docs = page === undefined ? '' : `   ${url}${page}`;
    return `  ${name.padEnd(14)}${url}${docs}`;
  });
  const variables = variablesOfCommands(ports);
  const found = variables.length ? `For commands in another terminal:\nexport ${variables.join(' ')}\n\n` : '';
  return `
The store is ready after ${seconds.toFixed(1)} s.

  gateway       http://localhost:${ports.of('gateway')}   (metrics http://localhost:${ports.of('gateway-metrics')})
                pages of other origins that may use it (CORS_ALLOWED_ORIGINS): ${allowedOrigins(process.env).join(', ') || 'none'}
${services.join('\n')}
  PostgreSQL    127.0.0.1:${ports.of('postgres')}   (passwords in ${relative(root, cacheDir)}/data/postgres-passwords.json)
  Kafka         ${kafkaBrokers}

${found}In another terminal: make demo    a customer walks through the store
                     make seed    1,000 products and 200,000 status records
                     make logs    the logs of all components; make logs COMPONENT=order for one
Here: Ctrl-C stops the store.
`;
}
