import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { parse } from 'yaml';
import { findOnPath } from '../local/downloads/provide-tool.mjs';
import { root } from '../paths.ts';
import { withFolder } from '../with-folder.ts';

/** Adds changes that break the typed client: names of its methods, and headers such as Location. */
const levels = join(root, 'tools/api/oasdiff-levels.txt');

/** Returns the installed oasdiff, or the command that compiles it, which takes a minute once; undefined without Go. */
export async function oasdiff(): Promise<string[] | undefined> {
  if (await findOnPath('oasdiff')) return ['oasdiff'];
  return (await findOnPath('go')) ? ['go', 'run', 'github.com/oasdiff/oasdiff@v1.37.0'] : undefined;
}

/** Returns the changes of an OpenAPI document that break a client of the old version, a sentence each. */
export const breakingChanges = (old: string, now: string): Promise<string[]> =>
  withFolder(async (dir) => {
    const [command, ...run] = (await oasdiff()) ?? [];
    if (!command)
      throw new Error('Neither oasdiff nor Go, which compiles it, is on PATH: https://www.oasdiff.com/docs/install');
    const files = [join(dir, 'old.yaml'), join(dir, 'now.yaml')] as const;
    await Promise.all([writeFile(files[0], old), writeFile(files[1], now)]);
    const args = [...run, 'breaking', '--format', 'json', '--severity-levels', levels, ...files];
    const found: { operation: string; path: string; text: string }[] = JSON.parse((await execa(command, args)).stdout);
    return found.map(({ operation, path, text }) => `${operation} ${path}: ${text}`);
  });

/**
 * Returns the events of an AsyncAPI document as operations of an OpenAPI document, with each event as request and response: a topic
 * holds events of the old version for days, and consumers of either version read it.
 */
export function eventsAsOperations(text: string): string {
  const { info, components } = parse(text) as Events;
  const paths = Object.entries(components.messages).map(([kind, { payload }]) => {
    const content = { 'application/json': { schema: payload } };
    const responses = { 200: { description: kind, content } };
    return [`/${kind}`, { post: { requestBody: { required: true, content }, responses } }];
  });
  const { schemas } = components;
  return JSON.stringify({ openapi: '3.1.0', info, paths: Object.fromEntries(paths), components: { schemas } });
}

interface Events {
  info: object;
  components: { schemas: object; messages: Record<string, { payload: object }> };
}
