import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

/** Third-party images that a chart can run, by their key in global.image.digests: the last part of the image's name. */
export async function thirdPartyImages(chart: string): Promise<Record<string, string>> {
  const subcharts = await readdir(join(chart, 'charts'));
  const files = ['values.yaml', ...subcharts.sort().map((name) => join('charts', name, 'values.yaml'))];
  const texts = await Promise.all(files.map((file) => readFile(join(chart, file), 'utf8')));
  const images = texts.flatMap((text) => imagesIn(parse(text, { merge: true })));
  const nameOf = (image: string) => /[^/:@]+(?=[:@]|$)/.exec(image.split('/').at(-1) ?? '')?.[0];
  return Object.fromEntries(images.map((image) => [nameOf(image), image]));
}

/** Images with a path: those of the store itself have none. */
function imagesIn(values: unknown): string[] {
  if (typeof values !== 'object' || values === null) return [];
  return Object.entries(values).flatMap(([key, value]) =>
    key === 'image' && typeof value === 'string' && value.includes('/') ? [value] : imagesIn(value),
  );
}
