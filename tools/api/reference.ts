import { cp, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../paths.ts';

/** The only thing that Redoc loads from another host; the page works without it. */
const foreignImage = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

// Writes docs/reference, the page of the gateway's API, which works as a file and from any server.
const folder = join(root, 'docs/reference');
const document = parse(await readFile(join(root, 'docs/openapi.yaml'), 'utf8'));
const bundle = await readFile(createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js'), 'utf8');
if (!bundle.includes(foreignImage))
  throw new Error('Redoc no longer loads this image: find out what it loads from other hosts.');
await cp(join(root, 'tools/api/reference'), folder, { recursive: true });
await writeFile(join(folder, 'redoc.standalone.js'), bundle.replace(foreignImage, 'data:,'));
await writeFile(join(folder, 'openapi.js'), `window.openApiDocument = ${JSON.stringify(document)};\n`);
