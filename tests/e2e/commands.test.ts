import { createServer, type RequestListener } from 'node:http';
import { execa } from 'execa';
import { root } from '../../tools/paths.ts';
import { serve } from '../kit/listen.ts';

/** Runs a make target. @returns its exit code, its output, and the reason if it fails */
async function run(name: string, env: Record<string, string>) {
  const options = { cwd: root, env: { NODE_OPTIONS: '', ...env }, reject: false, timeout: 30_000 } as const;
  const { exitCode, stdout, stderr } = await execa('node', [`tools/local/commands/${name}.ts`], options);
  return [exitCode, stdout, stderr];
}

const closed = '1';
const { port: strict } = new URL(await serve((_, response) => response.end()));
const allow: RequestListener = ({ headers }, response) =>
  response.setHeader('access-control-allow-origin', String(headers.origin)).end();
const { port: open } = new URL(await serve(allow));

it.each([
  ['there is no store', closed, `The store does not respond at http://localhost:${closed}: start it with make run.`],
  [
    'the gateway does not allow it',
    strict,
    `The gateway at http://localhost:${strict} does not allow http://localhost:3000: add it to CORS_ALLOWED_ORIGINS.`,
  ],
  ['its port is in use, because the gateway allows no other', open, 'Port 3000 is in use: stop that process.'],
])('make shop says that %s', async (_, GATEWAY_PORT, problem) => {
  const other = createServer().listen(3000, 'localhost');
  other.once('error', () => undefined); // the developer's own shop may already use the port
  try {
    expect(await run('shop', { GATEWAY_PORT })).toEqual([1, '', expect.stringContaining(problem)]);
  } finally {
    other.close();
  }
});

it('make run PORTS=free refuses an invalid port before it starts anything', async () => {
  const problem = 'GATEWAY_PORT=eighty is not a port: a whole number from 1 to 65535 is expected.';
  expect(await run('run', { PORTS: 'free', GATEWAY_PORT: 'eighty' })).toEqual([1, `\n${problem}`, '']);
});

it('a command that waits for long prints only its own output', async () => {
  const source = `
    import pWaitFor from 'p-wait-for';
    let calls = 0;
    await pWaitFor(() => ++calls > 20, { interval: 1, timeout: 60_000 });
    console.log(calls + ' calls');`;
  const { all } = await execa('node', ['--input-type=module', '--eval', source], { all: true });
  expect(all).toBe('21 calls');
});
