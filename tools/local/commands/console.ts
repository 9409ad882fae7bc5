import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from '../../paths.ts';
import { Tool } from '../../run-command.ts';
import { localUrl } from '../components/services.ts';
import { fixedPorts } from '../ports.ts';

async function showConsole(): Promise<void> {
  const url = localUrl(fixedPorts().of('console'));
  const health = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  if (!health?.ok) throw new Error(`The console does not answer at ${url}: start the store with make run.`);
  const token = process.env.CONSOLE_TOKEN || (await readFile(join(cacheDir, 'data/console-token'), 'utf8')).trim();
  const login = await fetch(`${url}/console/session`, {
    method: 'POST',
    headers: { origin: new URL(url).origin, 'content-type': 'application/json' },
    body: JSON.stringify({ token, name: 'make console' }),
  });
  if (login.status === 401)
    throw new Error(`The console at ${url} is that of another store: export CONSOLE_PORT as make run prints it.`);
  console.log(`${url}, with this token:\n${token}`);
}

await new Tool('make console').description('Where the console is, and its token.').action(showConsole).run();
