import type { RequestListener } from 'node:http';
import { within } from '../values/time.ts';

export interface Readiness {
  prepared: boolean;
  stopping: boolean;
  /** Names what was started, and is not ready of itself. */
  waitingFor(): string[];
}

/** Checks of dependencies, by name: one rejects or takes too long if its dependency does not answer. */
export type Checks = Record<string, () => Promise<unknown>>;

const checkTimeoutMs = 1_000;

/** Answers health requests before Express, so that probes are neither logged nor counted (contract 1.3). */
export function withHealth(app: RequestListener, checks: Checks, readiness: Readiness): RequestListener {
  return async (req, res) => {
    if (req.url === '/health/live') {
      res.writeHead(200, { 'Content-Type': 'application/json' }).end('{"status":"UP"}');
      return;
    }
    if (req.url !== '/health/ready') {
      if (readiness.stopping) res.setHeader('Connection', 'close');
      app(req, res);
      return;
    }
    const waitingFor = readiness.waitingFor();
    if (readiness.stopping) waitingFor.push('stopping');
    if (!readiness.prepared) waitingFor.push('starting');
    await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        const hasPassed = Promise.resolve()
          .then(check)
          .then(() => true);
        if (!(await within(checkTimeoutMs, hasPassed).catch(() => false))) waitingFor.push(name);
      }),
    );
    const isUp = waitingFor.length === 0;
    res.writeHead(isUp ? 200 : 503, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify(isUp ? { status: 'UP' } : { status: 'DOWN', waitingFor }));
  };
}
