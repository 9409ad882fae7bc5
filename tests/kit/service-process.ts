import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { freePort } from '../../tools/free-port.ts';
import { nodeFlags } from '../../tools/local/components/services.ts';
import { root } from '../../tools/paths.ts';
import { brokers } from './kafka/topic.ts';
import { until } from './until.ts';

/**
 * Runs a service as a process, from its sources, with the Node flags of the image.
 * @param entry such as `services/order/src/worker.ts`
 */
export async function startService(entry: string, env: Record<string, string>, argv: string[] = []) {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const args = [...nodeFlags, '--conditions=@store/source', entry, ...argv];
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: root,
    env: {
      ...inherited,
      KAFKA_BROKERS: brokers.join(','),
      HOST: '127.0.0.1',
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      DRAIN_SECONDS: '0',
      ...env,
    },
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', (line) => lines.push(line));
  }
  const exit = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>;
  const hasLogged = (text: string) => lines.some((line) => line.includes(text));

  return {
    child,
    url: `http://127.0.0.1:${port}`,
    /** Standard output and standard error. */
    lines,
    exit,
    /** Waits until the process is ready; fails at once if it ends first. */
    ready: () =>
      Promise.race([
        until(
          () => `${entry} is ready. Its output so far:\n${lines.join('\n')}`,
          async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok,
        ),
        exit.then((ended) => {
          throw new Error(`${entry} ended (${ended}) before it was ready. Its output:\n${lines.join('\n')}`);
        }),
      ]),
    isActive: () => hasLogged('The relay is active'),
    logs: (text: string) =>
      until(
        () => `${entry} logs "${text}". Its output so far:\n${lines.join('\n')}`,
        () => hasLogged(text),
      ),
    get: async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: response.status, body: JSON.parse(await response.text()) };
    },
    metrics: async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
    async end(signal: NodeJS.Signals) {
      child.kill(signal);
      return exit;
    },
  };
}

/** Returns `startService`. Processes it started are killed after the tests of the file. */
export function useServices(): typeof startService {
  const started: Awaited<ReturnType<typeof startService>>[] = [];
  afterAll(() => Promise.all(started.map((service) => service.end('SIGKILL'))));
  return async (...args) => {
    const service = await startService(...args);
    started.push(service);
    return service;
  };
}
