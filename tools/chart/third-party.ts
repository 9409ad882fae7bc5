import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

/** Images of others that a chart runs by default, by the name that global.image.digests has for each: the last part of its own. */
export async function thirdPartyImages(chart: string): Promise<Record<string, string>> {
  const images: Record<string, string> = {};
  for (const subchart of (await readdir(join(chart, 'charts'))).sort()) {
    if (subchart === 'service') continue;
    const { image } = parse(await readFile(join(chart, 'charts', subchart, 'values.yaml'), 'utf8'), { merge: true });
    const [name = ''] = /[^/:@]+(?=[:@]|$)/.exec(image.split('/').at(-1)) ?? [];
    images[name] = image;
  }
  return images;
}
