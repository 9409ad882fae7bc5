import { relative } from 'node:path';
import { isatty } from 'node:tty';
import { Command } from 'commander';
import { messageOf } from '../../../services/shared/src/values/errors.ts';
import { cacheDir, root } from '../../paths.ts';
import { topology } from '../../topology/topology.ts';
import { allowedOrigins } from '../components/services.ts';
import { variablesInVain, variablesOfCommands } from '../ports.ts';
import { type Store, startStore } from '../store.ts';

const STOP_SECONDS = 45;

new Command('make run')
  .description('Starts the whole store on this machine and runs until Ctrl-C. The data is kept.')
  .usage('[PORTS=free]')
  .addHelpText(
    'after',
    `
Environment:
  PORTS=free  takes free ports, for a store beside another one, and prints them; GATEWAY_PORT and others are not used
  CORS_ALLOWED_ORIGINS      origins whose pages may use the gateway, comma-separated; by default http://localhost:3000, the
                            shop (make shop); empty: none
  CORS_ALLOWED_CREDENTIALS  whether they may send the cookie; by default true
  The ports and settings in docs/local-run.md.`,
  )
  .parse();

const say = console.log;
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined); // the terminal may be gone

const starting = new AbortController();
let store: Store | undefined;
let asked = false;

/** Stops everything. A process that hangs is killed by the kernel when this process exits. */
async function stop(why: string): Promise<void> {
  if (asked) process.exit(130);
  asked = true;
  say(`\n${why}: stopping the store (again: at once)`);
  setTimeout(() => process.exit(1), STOP_SECONDS * 1000).unref();
  if (!store) return starting.abort(new Error('Stopped before it was ready.'));
  await store.stop();
  say('Stopped. The data is kept for the next make run.');
  process.exit(0);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(signal));

// make does not always pass a signal on, never when it is killed, and a closed terminal signals only its first process.
const parent = process.ppid;
const hasTerminal = isatty(1);
setInterval(() => {
  if (asked) return;
  if (process.env.MAKELEVEL && process.ppid !== parent) void stop('make has exited');
  else if (hasTerminal && !isatty(1)) void stop('the terminal was closed');
}, 500);

try {
  const began = Date.now();
  const { PORTS } = process.env;
  if (PORTS && PORTS !== 'free') throw new Error(`PORTS=${PORTS} is not known: make run PORTS=free takes free ports.`);
  const inVain = PORTS ? variablesInVain(process.env) : [];
  if (inVain.length > 0) say(`PORTS=free takes any free ports. Not used: ${inVain.join(', ')}`);
  store = await startStore({ dir: cacheDir, ports: PORTS ? 'free' : 'fixed', log: say, signal: starting.signal });
  say(greeting(store, (Date.now() - began) / 1000));
} catch (error) {
  say(`\n${messageOf(error)}`);
  process.exit(asked ? 130 : 1);
}

function greeting({ ports, kafkaBrokers }: Store, seconds: number): string {
  const services = topology.services.map(({ name, entry }) => {
    const url = `http://localhost:${ports.of(name)}`;
    const docs = entry === 'dist/main.js' ? `   ${url}/apidocs-ui.html` : '';
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
