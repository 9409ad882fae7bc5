import type { Job } from './service.ts';

const hourMs = 60 * 60 * 1000;

/** A job that does its work at start and then every hour; if it fails, the next hour retries. */
export const hourly = (name: string, work: () => Promise<unknown>): Job => ({
  name,
  start(log) {
    const run = () => work().catch((error: unknown) => log.warn({ err: error, job: name }, 'An hourly job failed'));
    run();
    const timer = setInterval(run, hourMs);
    return { stop: () => clearInterval(timer) };
  },
});
