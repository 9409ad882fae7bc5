import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { Router } from 'express';

const fileOf = (module: string) => fileURLToPath(import.meta.resolve(module));

/** The libraries that the pages import, as their packages have them. */
const vendor = {
  'preact.js': fileOf('htm/preact/standalone'),
  'uplot.js': fileOf('uplot/dist/uPlot.esm.js'),
  'uplot.css': fileOf('uplot/dist/uPlot.min.css'),
};

/** The pages hold no data: whoever is not logged in sees the login. */
export const pages = Router();
for (const [name, file] of Object.entries(vendor)) {
  pages.get(`/vendor/${name}`, (_req, res) => {
    // Its name may end in .mjs.
    res.type(extname(name)).sendFile(file, { cacheControl: false });
  });
}
pages.use(express.static(fileURLToPath(new URL('../../public/', import.meta.url)), { cacheControl: false }));
