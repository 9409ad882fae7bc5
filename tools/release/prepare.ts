import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../paths.ts';
import { Tool } from '../run-command.ts';
import { builtImages } from '../topology/images.ts';
import { notesOf } from './changelog.ts';

async function prepare(tag: string, project: string): Promise<void> {
  const version = tag.replace(/^v/, '');
  const chart = parse(await readFile(join(root, 'charts/store/Chart.yaml'), 'utf8'));
  if (chart.version !== version)
    throw new Error(`The tag is ${tag}, but charts/store/Chart.yaml has version ${chart.version}: change it first.`);
  const notes = notesOf(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version);
  console.log(`version=${version}`);
  console.log(`repository=ghcr.io/${project.toLowerCase()}`);
  console.log(`images=${JSON.stringify(builtImages)}`);
  console.log(`notes<<END-OF-NOTES\n${notes}\nEND-OF-NOTES`);
}

await new Tool('prepare')
  .description('Checks that a version may be released, and prints what the release workflow needs, for $GITHUB_OUTPUT.')
  .argument('<tag>', 'such as v0.2.0')
  .argument('<project>', 'owner and name of the repository, such as example/store')
  .action(prepare)
  .run();
