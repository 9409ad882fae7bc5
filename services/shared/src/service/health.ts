import type { RequestListener } from 'node:http';

/**
 * A process's own state, without its dependencies: otherwise a database that stops for seconds would make every replica unready at
 * once, even for answers that need no database (caches, 304, errors with Retry-After).
 */
export interface Readiness {
  stopping: boolean;
  /** Names what is missing: `starting`, `database` until it is migrated, and started parts that are not ready yet. */
  waitingFor(): string[];
}

/** Answers health requests before Express, so that probes are neither logged nor counted (contract 1.3). */
export function withHealth(app: RequestListener, readiness: Readiness): RequestListener {
  return (req, res) => {
    if (req.url === '/health/live') {
      res.writeHead(200, { 'Content-Type': 'application/json' }).end('{"status":"UP"}');
      return;
    }
    if (req.url !== '/health/ready') {
      if (readiness.stopping) res.setHeader('Connection', 'close');
      return app(req, res);
    }
    const waitingFor = [...readiness.waitingFor(), ...(readiness.stopping ? ['stopping'] : [])];
    const isUp = waitingFor.length === 0;
    res.writeHead(isUp ? 200 : 503, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify(isUp ? { status: 'UP' } : { status: 'DOWN', waitingFor }));
  };
}
