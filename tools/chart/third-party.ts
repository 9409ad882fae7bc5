import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

/** Images of others that a chart can run, by the name that global.image.digests has for each: the last part of its own. */
export async function thirdPartyImages(chart: string): Promise<Record<string, string>> {
  const subcharts = await readdir(join(chart, 'charts'));
  const files = ['values.yaml', ...subcharts.sort().map((name) => join('charts', name, 'values.yaml'))];
  const texts = await Promise.all(files.map((file) => readFile(join(chart, file), 'utf8')));
  const images = texts.flatMap((text) => imagesIn(parse(text, { merge: true })));
  const nameOf = (image: string) => /[^/:@]+(?=[:@]|$)/.exec(image.split('/').at(-1) ?? '')?.[0];
  return Object.fromEntries(images.map((image) => [nameOf(image), image]));
}

/** Those with a path: an image of the store itself has none. */
function imagesIn(values: unknown): string[] {
  if (typeof values !== 'object' || values === null) return [];
  return Object.entries(values).flatMap(([key, value]) =>
    key === 'image' && typeof value === 'string' && value.includes('/') ? [value] : imagesIn(value),
  );
}
