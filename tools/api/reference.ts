import { cp, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../paths.ts';

/** All that Redoc loads from another host; the page shows none where it cannot be loaded. */
const foreignImage = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

// Writes docs/reference, the page of the gateway's API, which is opened as a file or served by anything.
const folder = join(root, 'docs/reference');
const document = parse(await readFile(join(root, 'docs/openapi.yaml'), 'utf8'));
const bundle = await readFile(createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js'), 'utf8');
if (!bundle.includes(foreignImage))
  throw new Error('Redoc loads another image than before: find what it asks of other hosts.');
await cp(join(root, 'tools/api/reference'), folder, { recursive: true });
await writeFile(join(folder, 'redoc.standalone.js'), bundle.replace(foreignImage, 'data:,'));
await writeFile(join(folder, 'openapi.js'), `window.openApiDocument = ${JSON.stringify(document)};\n`);
