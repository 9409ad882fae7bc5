import { once } from 'node:events';
import { Server } from 'node:net';
import { execa } from 'execa';
import { freePort } from './free-port.ts';

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

it('never listens on a port that another has reserved, not even to look whether it is free', async () => {
  const random = jest.spyOn(Math, 'random').mockReturnValue(0.5);
  try {
    const reserved = await freePort();
    const listen = jest.spyOn(Server.prototype, 'listen');
    expect(await freePort()).not.toBe(reserved);
    expect(listen.mock.calls.length).toBeGreaterThan(0);
    expect(JSON.stringify(listen.mock.calls)).not.toContain(String(reserved));
    listen.mockRestore();
  } finally {
    random.mockRestore();
  }
});
