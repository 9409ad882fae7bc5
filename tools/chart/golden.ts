import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Command } from 'commander';
import { root } from '../paths.ts';
import { runCommand } from '../run-command.ts';

// make golden: writes the files that follow from the chart. git diff then shows what a change means for a cluster.

async function golden(): Promise<void> {
  // Imported here, because the topology is read on import, and what is wrong with it has to be said in a sentence.
  const { skaffoldFiles } = await import('../topology/skaffold.ts');
  const { composeFiles } = await import('../topology/compose.ts');
  const { goldenFile, goldenNames, renderGolden } = await import('./render.ts');
  const { chartReadme, readmePath } = await import('./readme.ts');

  const texts = new Map(Object.entries({ ...skaffoldFiles(), [readmePath]: chartReadme(), ...(await composeFiles()) }));
  for (const name of goldenNames) texts.set(relative(root, goldenFile(name)), await renderGolden(name));

  // Only now: an error in one of them leaves all as they are.
  let changed = 0;
  for (const [path, text] of texts) {
    const file = join(root, path);
    if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    console.log(path);
    changed += 1;
  }
  if (changed === 0) console.log('nothing changed');
}

const command = new Command('make golden')
  .description('Writes the files that follow from the chart, and prints those that have changed.')
  .action(golden);

await runCommand(command);
