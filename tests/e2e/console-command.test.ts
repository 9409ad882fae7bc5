import { once } from 'node:events';
import { createServer } from 'node:http';
import { execa } from 'execa';
import { root } from '../../tools/paths.ts';

it.each([
  [204, 0, '', 'with this token:\nown-token'],
  [401, 1, 'is that of another store: export CONSOLE_PORT as make run prints it.', ''],
])('make console shows its token to a console that answers %i', async (status, code, problem, said) => {
  const other = createServer((req, res) => res.writeHead(req.url === '/console/session' ? status : 200).end());
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  try {
    const { port } = other.address() as { port: number };
    const { exitCode, stdout, stderr } = await execa('node', ['tools/local/commands/console.ts'], {
      cwd: root,
      env: { NODE_OPTIONS: '', CONSOLE_PORT: String(port), CONSOLE_TOKEN: 'own-token' },
      reject: false,
    });
    expect([exitCode, stdout, stderr]).toEqual([
      code,
      expect.stringContaining(said),
      problem === '' ? '' : `The console at http://127.0.0.1:${port} ${problem}`,
    ]);
  } finally {
    other.close();
  }
});
