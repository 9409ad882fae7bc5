import { fileURLToPath } from 'node:url';
import express, { Router } from 'express';

/** Redoc styles by elements of its own and searches in a worker that it makes. Scripts come from here alone. */
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

/** The page of the gateway's API that `make build` writes into a checkout. Images have none. */
export const referencePage = Router();
referencePage.use((_req, res, next) => {
  res.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' });
  next();
});
referencePage.use(
  express.static(fileURLToPath(new URL('../../../../docs/reference/', import.meta.url)), { cacheControl: false }),
);
