import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { styleText } from 'node:util';
import { Command } from 'commander';
import { execa } from 'execa';
import { cacheDir } from '../../paths.ts';
import { runCommand } from '../../run-command.ts';

const logDir = join(cacheDir, 'log');
const colours = ['cyan', 'green', 'yellow', 'magenta', 'blue', 'red'] as const;

async function followLogs(component?: string): Promise<void> {
  const files = existsSync(logDir) ? readdirSync(logDir).filter((file) => file.endsWith('.log')) : [];
  const components = files.map((file) => basename(file, '.log'));
  if (components.length === 0) throw new Error('There are no logs yet: start the store with make run.');
  if (component !== undefined && !components.includes(component)) {
    throw new Error(`There is no log of ${component}. There are logs of: ${components.join(', ')}.`);
  }
  const shown = component === undefined ? components : [component];
  const lineCount = component === undefined ? 10 : 100;
  const width = Math.max(...shown.map((name) => name.length));
  process.stdout.on('error', () => process.exit(0)); // make logs | head
  await Promise.all(
    shown.map((name, index) => {
      const prefix = `${name.padEnd(width)} |`;
      const colour = colours[index % colours.length] ?? 'cyan';
      const head = styleText(colour, prefix); // plain, unless this is a terminal
      return execa('tail', ['-n', String(lineCount), '-F', join(logDir, `${name}.log`)], {
        stdout: [
          function* (line: unknown) {
            yield `${head} ${line}`;
          },
          'inherit',
        ],
        stderr: 'ignore', // reports every log that starts anew
        buffer: false,
      });
    }),
  );
}

const command = new Command('make logs')
  .description('Follows the logs of the local run: the last 10 lines of each, and what is added.')
  .argument('[component]', 'follow this one, from its last 100 lines on')
  .action((component?: string) => followLogs(component));

await runCommand(command);
