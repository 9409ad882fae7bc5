import { fileURLToPath } from 'node:url';
import express, { Router } from 'express';

/** Redoc adds style elements, and creates the worker in which it searches. Scripts come only from the console. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the reference of the gateway's API, which `make build` writes in a checkout. Images do not contain it. */
export const referencePage = Router();
referencePage.use((_req, res, next) => {
  res.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' });
  next();
});
referencePage.use(
  express.static(fileURLToPath(new URL('../../../../docs/reference/', import.meta.url)), { cacheControl: false }),
);
