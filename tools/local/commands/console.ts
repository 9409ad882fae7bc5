import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from '../../paths.ts';
import { Tool } from '../../run-command.ts';
import { fixedPorts } from '../ports.ts';

const notRunning = 'The store is not running: start it with make run.';

async function show(): Promise<void> {
  const address = `http://localhost:${fixedPorts().of('console')}`;
  const kept = () => readFile(join(cacheDir, 'data/console-token'), 'utf8').then((text) => text.trim());
  const token = process.env.CONSOLE_TOKEN || (await kept().catch(() => undefined));
  const answers = await fetch(`${address}/console/session`).then(
    ({ ok }) => ok,
    () => false,
  );
  if (token === undefined || !answers) throw new Error(notRunning);
  console.log(`The console is at ${address}.
Log in with an account that has the role operator (make grant EMAIL=<address> ROLE=operator),
or, if there is no such account or auth is unavailable, with the shared token:
${token}`);
}

await new Tool('make console')
  .description("Prints the address of the running store's console, and how to log in to it.")
  .action(show)
  .run();
