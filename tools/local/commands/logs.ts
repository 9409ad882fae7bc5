import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { styleText } from 'node:util';
import { execa } from 'execa';
import { cacheDir } from '../../paths.ts';

const [wanted] = process.argv.slice(2);
const logDir = join(cacheDir, 'log');
const components = existsSync(logDir)
  ? readdirSync(logDir).flatMap((file) => (file.endsWith('.log') ? basename(file, '.log') : []))
  : [];

if (!components.length) fail('There are no logs yet: start the store with make run.');
if (wanted && !components.includes(wanted)) fail(`There is no log of ${wanted}. There are: ${components.join(', ')}.`);

const shown = wanted ? [wanted] : components;
const width = Math.max(...shown.map((name) => name.length));
const colours = ['cyan', 'green', 'yellow', 'magenta', 'blue', 'red'] as const;

shown.forEach((name, index) => {
  const prefix = `${name.padEnd(width)} |`;
  const colour = colours[index % colours.length] ?? 'cyan';
  const head = process.stdout.isTTY ? styleText(colour, prefix) : prefix;
  const tail = execa('tail', ['-n', wanted ? '100' : '10', '-F', join(logDir, `${name}.log`)], {
    stderr: 'ignore', // it tells of every log that is begun anew
    buffer: false,
    reject: false,
  });
  createInterface({ input: tail.stdout }).on('line', (line) => console.log(`${head} ${line}`));
});

process.stdout.on('error', () => process.exit(0)); // make logs | head

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}
