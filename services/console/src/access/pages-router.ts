import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Router } from 'express';
import sirv from 'sirv';
import { basePath } from './guard.ts';

/** Folder that Vite builds from pages/. */
const built = fileURLToPath(new URL('../../pages/dist/', import.meta.url));
const index = readFileSync(join(built, 'index.html'));

/** The pages contain no data. Without a session they show the login. */
export const pages = Router();
pages.get('/', (req, res) => {
  // The page refers to its files relative to a path that ends in a slash.
  if (!req.originalUrl.startsWith(`${basePath}/`)) return res.redirect(`${basePath}/`);
  // Express makes the ETag from the content. The time of the file would not do: it is the same in every image.
  res.set('Cache-Control', 'no-cache').type('html').send(index);
});
pages.use(
  '/assets',
  sirv(join(built, 'assets'), {
    brotli: true,
    gzip: true,
    // Their names contain a digest of their content.
    setHeaders: (res) => res.setHeader('Cache-Control', 'private, max-age=31536000, immutable'),
  }),
);
