import { once } from 'node:events';
import { type Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { startService } from '../../../tests/kit/service-process.ts';
import { until } from '../../../tests/kit/until.ts';

export const databaseUrl = process.env.TEST_DATABASE_URL ?? '';
const running: Awaited<ReturnType<typeof startService>>[] = [];

/** Kills every process that `start` has started. */
export function killAll(): void {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
}

/** Runs the tiny service as a process. */
export async function start(env: Record<string, string> = {}) {
  const defaults = { DRAIN_SECONDS: '1', GREETING: 'hello', DATABASE_URL: databaseUrl };
  const service = await startService('services/shared/test/_tiny-service.ts', { ...defaults, ...env });
  running.push(service);
  const lines = (): Record<string, unknown>[] => service.lines.map((line) => JSON.parse(line));
  return {
    ...service,
    output: service.lines,
    exited: once(service.child, 'close').then(([code]) => code),
    lines,
    /** Waits for a log line whose message starts with this text. */
    async logged(message: string): Promise<Record<string, unknown>> {
      const find = () => lines().find(({ msg }) => String(msg).startsWith(message));
      await until(
        () => `the service logs "${message}". Its output so far: ${service.lines.join('\n')}`,
        () => find() !== undefined,
        { timeoutMs: 20_000 },
      );
      return find() ?? {};
    },
    get: (path: string, agent?: Agent) => get(service.url + path, agent),
    async readiness() {
      const { status, body } = await get(`${service.url}/health/ready`);
      return { code: status, ...JSON.parse(body) };
    },
  };
}

/** Sends a GET request; resolves when the response headers have arrived. */
export function open(url: string, agent?: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { agent: agent ?? false }, resolve)
      .on('error', reject)
      .end();
  });
}

async function get(url: string, agent?: Agent) {
  const response = await open(url, agent);
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}
