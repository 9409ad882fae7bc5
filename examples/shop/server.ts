import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import sirv from 'sirv';

// Serves the built shop, in the chart's image and in tests. `vite build --ssr` bundles it into a single file.

const { PORT = '8080', STORE_URL = '', DRAIN_SECONDS = '0' } = process.env;
const { pathname } = new URL(STORE_URL, 'http://store');
if (pathname !== '/') throw new Error(`STORE_URL=${STORE_URL} has a path: only an origin is expected.`);

/** Allows only this origin, pictures of products from any https address, and calls to a store of another origin. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' https:",
  `connect-src 'self' ${STORE_URL}`.trim(),
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const files = sirv(fileURLToPath(new URL('../client', import.meta.url)), {
  etag: true,
  // Compressed by vite.config.ts.
  brotli: true,
  gzip: true,
  setHeaders(response, path) {
    response.setHeader('Content-Security-Policy', policy);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Referrer-Policy', 'no-referrer');
    // Names of assets contain a digest of their content.
    response.setHeader(
      'Cache-Control',
      path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    );
  },
});

const server = createServer((request, response) => {
  if (request.url === '/health') return void response.end();
  // The gateway's path for the shop. The page refers to its files relative to a path that ends in a slash.
  if (request.url === '/shop') return void response.writeHead(308, { location: '/shop/' }).end();
  request.url = request.url?.replace(/^\/shop\//, '/');
  files(request, response, () => {
    response.statusCode = 404;
    response.end();
  });
});
// Longer than the gateway keeps a connection, so that this server never closes a connection during a request.
server.keepAliveTimeout = 75_000;
server.listen(Number(PORT));
process.once('SIGTERM', () => setTimeout(() => server.close(), Number(DRAIN_SECONDS) * 1000));
