import { Agent } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../../tests/kit/until.ts';
import { killAll, open, start } from './_service.ts';

afterEach(killAll);

it('SIGTERM makes the service drain, finish requests in flight, even long ones, stop its parts and exit with 0', async () => {
  const service = await start();
  await service.logged('Ready');
  const agent = new Agent({ keepAlive: true });
  const idle = new Agent({ keepAlive: true });
  await service.get('/', idle); // leaves an idle connection open, like the gateway
  const slow = await open(`${service.url}/slow`, agent); // its headers have arrived, so it is in flight

  service.child.kill('SIGTERM');
  await service.logged('Stopping');
  expect(await service.readiness()).toEqual({ code: 503, status: 'DOWN', waitingFor: ['stopping'] });
  expect((await service.get('/health/live')).status).toBe(200);
  expect(await service.get('/', idle)).toMatchObject({ status: 200, headers: { connection: 'close' } });
  service.child.kill('SIGTERM'); // a second signal has no effect
  const answer = () => service.get('/').catch(() => undefined);
  await until('the port is closed', async () => (await answer()) === undefined, { timeoutMs: 20_000 });
  expect(service.child.exitCode).toBeNull();
  service.child.kill('SIGUSR2');
  expect(await text(slow)).toBe('halfhello');
  // The kept-alive connection would be cut off after 15 s; the service must not wait for that.
  expect(await Promise.race([service.exited, wait(10_000, undefined, { ref: false })])).toBe(0);
  const messages = service.lines().map(({ msg }) => msg);
  expect(messages.slice(0, 3)).toEqual(['Ready', 'Stopping', 'Answered']);
  // Lines are written asynchronously, so the last ones appear in any order.
  expect(messages.slice(3).sort()).toEqual(['Could not be stopped', 'Stopped', 'The first job was stopped']);
  agent.destroy();
  idle.destroy();
});

it('SIGINT ends the service without draining', async () => {
  const service = await start({ DRAIN_SECONDS: '300' });
  await service.logged('Ready');
  service.child.kill('SIGINT');
  expect(await service.exited).toBe(0);
});

it('a service that is stopped while it waits for its database exits with 0 and never logs Ready', async () => {
  const service = await start({ DATABASE_URL: 'postgresql://x:y@127.0.0.1:1/z', DRAIN_SECONDS: '1' });
  await service.logged('Waiting');
  service.child.kill('SIGTERM');
  expect(await service.exited).toBe(0);
  expect(service.lines().filter(({ msg }) => msg === 'Ready')).toEqual([]);
});

it('an unhandled rejection makes the service log it and exit with 1', async () => {
  const service = await start();
  await service.logged('Ready');
  await service.get('/crash');
  expect(await service.exited).toBe(1);
  expect(service.lines().at(-1)).toMatchObject({ level: 'fatal', err: { message: 'crashed' } });
});
