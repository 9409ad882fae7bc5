import type { RequestListener } from 'node:http';

/**
 * A process's own state. What a process depends on is none of it: a database that stands still for seconds would take every
 * replica out at once, and what is answered without it (caches, 304, errors with Retry-After) with them.
 */
export interface Readiness {
  stopping: boolean;
  /** Names what is missing: `starting`, `database` until it is migrated, and what was started and is not ready yet. */
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
