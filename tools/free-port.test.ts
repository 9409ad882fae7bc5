import { once } from 'node:events';
import { execa } from 'execa';

const take = `
  const { freePort } = await import(process.argv[1]);
  const ports = [];
  for (let taken = 0; taken < 100; taken++) ports.push(await freePort());
  console.log(JSON.stringify(ports));
  process.stdin.resume();`;
const file = new URL('free-port.ts', import.meta.url).href;

it('never gives two processes the same port, even at the same time', async () => {
  const processes = [0, 1].map(() => execa('node', ['--no-warnings', '--input-type=module', '-e', take, file]));
  const ports = await Promise.all(
    processes.map(async (chosen) => JSON.parse(String(await once(chosen.stdout, 'data'))) as number[]),
  );
  const taken = ports.flat();
  for (const chosen of processes) chosen.stdin.end();
  await Promise.all(processes);
  expect(taken).toHaveLength(200);
  expect(new Set(taken).size).toBe(200);
});
