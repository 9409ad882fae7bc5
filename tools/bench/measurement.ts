import { join } from 'node:path';
import getPort from 'get-port';
import { localUrl } from '../local/components/services.ts';
import { startProcess } from '../local/components/supervised-process.ts';
import type { ComponentName, Store } from '../local/store.ts';
import { cacheDir, root } from '../paths.ts';
import { inTurns, medians, type Request, rateOf } from './rates.ts';
import type { Row } from './report.ts';

export interface Bench {
  store: Store;
  say: (line: string) => void;
}

/** One kind of measurement: what has to run for it, and what it finds. */
export interface Measurement {
  name: string;
  components: ComponentName[];
  /** Its data is kept for the next run; every other measurement begins with an empty store. */
  keepsData?: true;
  run(bench: Bench): Promise<Row[]>;
}

/** Everything that the bench leaves behind. */
export const benchDir = join(cacheDir, 'bench');

const rounds = 5;
const secondsPerTurn = 4;
/** So many that the compiler of V8 has done its work. */
const warmUp = { amount: 5_000 };

/** A server of this folder, as a process of its own like the service that it is compared with. */
export async function startBare(file: string, databaseUrl: string, say: (line: string) => void) {
  const port = await getPort({ host: '127.0.0.1' });
  const url = localUrl(port);
  const component = await startProcess({
    name: file.replace('.ts', ''),
    command: process.execPath,
    args: ['--import', 'tsx', join(root, 'tools/bench/baselines', file)],
    env: { PORT: String(port), DATABASE_URL: databaseUrl },
    logDir: join(benchDir, 'log'),
    log: say,
    ready: async () => (await fetch(`${url}/ready`)).ok,
  });
  return { ...component, url };
}

/** Compares how many requests a service and a bare server answer per second. */
export async function compareRates(what: string, service: Request, bare: Request, say: (line: string) => void) {
  say(`warms up with ${warmUp.amount} requests to each side`);
  for (const request of [service, bare]) await rateOf(request, warmUp);
  const turn = (name: string, request: Request) => async () => {
    const rate = await rateOf(request, { duration: secondsPerTurn });
    say(`${name}: ${rate.toFixed()} requests per second`);
    return rate;
  };
  const { first, second, ratio } = medians(await inTurns(rounds, turn('service', service), turn('bare server', bare)));
  const measured = `${first.toFixed()} against ${second.toFixed()} requests per second`;
  return { what: `${what}, service against bare server`, measured, result: ratio };
}
