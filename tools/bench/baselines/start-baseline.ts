import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { localUrl } from '../../local/components/services.ts';
import { startProcess } from '../../local/components/supervised-process.ts';
import { root } from '../../paths.ts';
import { type Log, logDir } from '../measurement.ts';

/** Starts a server of this folder as a process of its own, like the service that it is compared with. */
export async function startBaseline(file: string, databaseUrl: string, log: Log) {
  const port = await freePort();
  const url = localUrl(port);
  const component = await startProcess({
    name: file.replace('.ts', ''),
    command: process.execPath,
    args: [join(root, 'tools/bench/baselines', file)],
    env: { PORT: String(port), DATABASE_URL: databaseUrl },
    logDir,
    log,
    ready: async () => (await fetch(`${url}/ready`)).ok,
  });
  return { ...component, url };
}
