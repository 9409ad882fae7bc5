import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { until } from '../../../tests/kit/until.ts';
import { freePort } from '../../../tools/free-port.ts';

export const databaseUrl = process.env.TEST_DATABASE_URL ?? '';
const children: ChildProcess[] = [];

/** Kills every process that `start` has started. */
export function killAll(): void {
  for (const child of children.splice(0)) child.kill('SIGKILL');
}

/** Runs the tiny service as a process. */
export async function start(env: Record<string, string> = {}) {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [fileURLToPath(new URL('_tiny-service.ts', import.meta.url))], {
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      DRAIN_SECONDS: '1',
      GREETING: 'hello',
      DATABASE_URL: databaseUrl,
      ...env,
    },
  });
  children.push(child);
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    output.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.err += chunk;
  });
  const exited = once(child, 'close').then(([code]) => code);
  const lines = (): Record<string, unknown>[] =>
    output.out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return {
    child,
    port,
    metricsPort,
    output,
    exited,
    lines,
    /** Waits for a log line whose message starts so. */
    async logged(message: string): Promise<Record<string, unknown>> {
      const find = () => lines().find(({ msg }) => String(msg).startsWith(message));
      await until(
        () => `the service logs "${message}". Its output so far: ${JSON.stringify(output)}`,
        () => find() !== undefined,
        { timeoutMs: 20_000 },
      );
      return find() ?? {};
    },
    get: (path: string, agent?: Agent) => get(port, path, agent),
  };
}

/** Sends a GET request; resolves when the response headers have arrived. */
export function open(port: number, path: string, agent?: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, agent: agent ?? false }, resolve)
      .on('error', reject)
      .end();
  });
}

export async function get(port: number, path: string, agent?: Agent) {
  const response = await open(port, path, agent);
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

export const readiness = async (service: { get(path: string): ReturnType<typeof get> }) => {
  const { status, body } = await service.get('/health/ready');
  return { status, ...JSON.parse(body) };
};
