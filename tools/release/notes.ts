import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { root } from '../paths.ts';
import { runCommand } from '../run-command.ts';
import { notesOf } from './changelog.ts';

const command = new Command('notes')
  .description('Prints the notes of a release, from CHANGELOG.md.')
  .argument('<version>', 'such as 0.2.0')
  .action(async (version: string) => console.log(notesOf(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version)));

await runCommand(command);
