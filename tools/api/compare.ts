import { execa } from 'execa';
import { parse } from 'yaml';
import { root } from '../paths.ts';
import { Tool } from '../run-command.ts';
import { breakingChanges, eventsAsOperations } from './breaking-changes.ts';
import { textsOfRoutes } from './texts.ts';

const api = 'docs/openapi.yaml';
const events = 'docs/asyncapi.yaml';
const git = async (...args: string[]) => (await execa('git', args, { cwd: root })).stdout;
const lastRelease = () => git('describe', '--tags', '--abbrev=0', '--match', 'v*.*.*').catch(() => undefined);

const versionOf = (text: string): string => parse(text).info.version;

/** True if the new version may break clients: by Semantic Versioning 2.0.0 (4 and 8) the first number that is not 0 grows. */
const mayBreak = (old: string, now: string) => {
  const compatible = (version: string) => /^0\.\d+|^\d+/.exec(version)?.[0];
  return compatible(old) !== compatible(now);
};

await new Tool('compare')
  .description(`Compares the API with a release or a branch, and fails if the changes break clients of it.`)
  .argument('[base]', 'a tag, branch or commit; default: the last release')
  .action(async (given: string | undefined) => {
    const base = given || (await lastRelease());
    if (base === undefined) return console.log('There is no release to compare with yet.');
    const read = (file: string) =>
      git('show', `${base}:${file}`).catch(() => {
        throw new Error(`There is no ${file} in ${base}. In a shallow clone: git fetch --unshallow --tags.`);
      });
    const [old, now] = [await read(api), await textsOfRoutes()];
    const [oldEvents, nowEvents] = [eventsAsOperations(await read(events)), eventsAsOperations(now[events])];
    const found = [...(await breakingChanges(old, now[api])), ...(await breakingChanges(oldEvents, nowEvents))];
    for (const sentence of found) console.log(`- ${sentence}`);
    const [from, to] = [versionOf(old), versionOf(now[api])];
    if (found.length === 0) console.log(`Clients of ${base} (${from}) still work.`);
    else if (mayBreak(from, to)) console.log(`Version ${to} may break clients of ${from}: name these in CHANGELOG.md.`);
    else throw new Error(`The changes above break clients of ${base} (${from}).`);
  })
  .run();
