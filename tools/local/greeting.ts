import { relative } from 'node:path';
import { cacheDir, root } from '../paths.ts';
import { topology } from '../topology/topology.ts';
import { allowedOrigins } from './components/services.ts';
import { variablesOfCommands } from './ports.ts';
import type { Store } from './store.ts';

/** Path of a service's API documentation. The console has the gateway's, a worker has none. */
function documentationOf(name: string, entry: string): string | undefined {
  if (name === 'console') return '/console/reference/';
  return entry === 'dist/main.js' ? '/apidocs-ui.html' : undefined;
}

/** The text that `make run` prints once the store is ready: all addresses, and what to do next. */
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
                other origins whose pages may use it (CORS_ALLOWED_ORIGINS): ${allowedOrigins(process.env).join(', ') || 'none'}
${services.join('\n')}
  PostgreSQL    127.0.0.1:${ports.of('postgres')}   (passwords in ${relative(root, cacheDir)}/data/postgres-passwords.json)
  Kafka         ${kafkaBrokers}

${found}In another terminal: make demo    walks through the store as a customer
                     make seed    adds 1,000 products and 200,000 status records
                     make logs    follows the logs of all components; make logs COMPONENT=order of one
Here: Ctrl-C stops the store.
`;
}
