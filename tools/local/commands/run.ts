import { isatty } from 'node:tty';
import { Command } from 'commander';
import { messageOf } from '../../../services/shared/src/values/errors.ts';
import { cacheDir } from '../../paths.ts';
import { greeting } from '../greeting.ts';
import { ignoredPortVariables } from '../ports.ts';
import { type Store, startStore } from '../store.ts';

const STOP_SECONDS = 45;

new Command('make run')
  .description('Starts the whole store on this machine and runs it until Ctrl-C. Keeps the data.')
  .usage('[PORTS=free]')
  .addHelpText(
    'after',
    `
Environment:
  PORTS=free  uses and prints free ports, to run beside another store; GATEWAY_PORT and others are ignored
  CORS_ALLOWED_ORIGINS      origins whose pages may use the gateway, comma-separated; by default http://localhost:3000, the
                            shop (make shop); empty: none
  CORS_ALLOWED_CREDENTIALS  whether these pages may send the cookie; by default true
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
  say(`\n${why}: stopping the store (again: stop at once)`);
  setTimeout(() => process.exit(1), STOP_SECONDS * 1000).unref();
  if (!store) return starting.abort(new Error('Stopped before it was ready.'));
  await store.stop();
  say('Stopped. The data is kept for the next make run.');
  process.exit(0);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(signal));

// make does not always forward a signal, and never when it is killed. A closed terminal signals only its first process.
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
  const ignored = PORTS ? ignoredPortVariables(process.env) : [];
  if (ignored.length > 0) say(`PORTS=free uses any free ports. Ignored: ${ignored.join(', ')}`);
  store = await startStore({ dir: cacheDir, ports: PORTS ? 'free' : 'fixed', log: say, signal: starting.signal });
  say(greeting(store, (Date.now() - began) / 1000));
} catch (error) {
  say(`\n${messageOf(error)}`);
  process.exit(asked ? 130 : 1);
}
