import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../../tools/free-port.ts';
import { provideLocalstripe } from '../../../tools/local/downloads/localstripe.mjs';
import { until } from '../until.ts';

/**
 * Without a log line per request, and without a copy of all objects in /tmp/localstripe.pickle after each change of one: the next process
 * would read it, whoever wrote it.
 */
const program = `
import logging
from localstripe import resources, server
logging.disable(logging.INFO)
resources.Store.dump_to_disk = lambda store: None
server.start()
`;

/** A key of an account at Stripe, as localstripe accepts any. */
export const secretKey = 'sk_test_of_the_store';

export type LocalStripe = Awaited<ReturnType<typeof startLocalStripe>>;

/**
 * Starts localstripe, a fake of Stripe's API that this project did not write. It keeps its objects in memory. What it lacks, and the
 * faults of networks, come from the proxy in front of it (stripe-proxy.ts).
 */
export async function startLocalStripe() {
  const port = await freePort();
  const child = spawn('python3', ['-c', program, '--port', String(port), '--from-scratch'], {
    env: { ...process.env, PYTHONPATH: await provideLocalstripe() },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exit = once(child, 'exit');
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  let output = '';
  child.stderr.on('data', (bytes) => {
    output = `${output}${bytes}`.slice(-10_000);
  });
  const url = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${secretKey}` };
  const isUp = async () => (await fetch(`${url}/v1/balance`, { headers })).ok;
  const ended = exit.then(() => Promise.reject(new Error(`localstripe ended before it was ready: ${output}`)));
  ended.catch(() => undefined);
  await Promise.race([until(() => `localstripe is ready. Its output so far:\n${output}`, isUp), ended]);

  /** @returns the answer to a request in the form of Stripe's API: form fields, such as `metadata[orderId]`, and a JSON object */
  async function ask(method: 'GET' | 'POST' | 'DELETE', path: string, fields: Record<string, string> = {}) {
    const form = new URLSearchParams(fields);
    const query = method === 'GET' && form.size > 0 ? `?${form}` : '';
    const body = method === 'POST' ? form : undefined;
    const response = await fetch(`${url}${path}${query}`, { method, headers, ...(body && { body }) });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
  }

  return {
    url,
    ask,
    /** Forgets all objects. It looks through all of them for each request, so many orders are best made in rounds. */
    clear: () => ask('DELETE', '/_config/data'),
    async stop() {
      process.off('exit', end);
      if (child.exitCode === null && child.kill('SIGKILL')) await exit;
    },
  };
}
