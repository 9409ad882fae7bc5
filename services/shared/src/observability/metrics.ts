import { createServer, type Server } from 'node:http';
import type { Request, Response } from 'express';
import { collectDefaultMetrics, Histogram, register } from 'prom-client';
import { contextOf } from './request-context.ts';

// Ten samples of the event loop's delay per second: the default of a hundred would be the largest cost of an idle process.
collectDefaultMetrics({ eventLoopMonitoringPrecision: 100 });

const durations = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from the first byte of a request to the last byte of its answer.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
});

/** Measures a request when it has been answered, except streams, which last as long as their clients want. The label is the route's pattern, since paths would create a series per id. */
export function observeRequest(req: Request, res: Response): void {
  const start = performance.now();
  res.on('finish', () => {
    const { route = 'none', isStream } = contextOf(res);
    if (isStream) return;
    durations.observe({ method: req.method, route, status: res.statusCode }, (performance.now() - start) / 1000);
  });
}

/** Serves `GET /metrics` in Prometheus's text format, on a port that the gateway does not route to (contract 1.3). */
export function createMetricsServer(): Server {
  return createServer(async (req, res) => {
    if (req.url !== '/metrics') return void res.writeHead(404).end();
    const text = await register.metrics();
    res.writeHead(200, { 'Content-Type': register.contentType }).end(text);
  });
}
