import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@store/shared/database/migrate';
import { execa } from 'execa';
import getPort from 'get-port';
import { queryOnce } from '../../../../tests/kit/postgres/database.ts';
import { type Postgres, startPostgres } from '../../../../tests/kit/postgres/server.ts';
import { until } from '../../../../tests/kit/until.ts';

import { alice } from '../_app.ts';
import { beganStream, startReplica } from './_streams.ts';

let folder: string;
let port: number;
let server: Postgres;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-failover-'));
  await chmod(folder, 0o711);
  port = await getPort();
});

afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

/** The server with some data, always at the same address. */
async function start(name: string, { isStandby = false } = {}): Promise<void> {
  if (isStandby) await writeFile(join(folder, name, 'standby.signal'), '');
  server = await startPostgres({
    dataDir: join(folder, name),
    logDir: join(folder, `log-${name}`),
    port,
    log: () => undefined,
    settings: { fsync: 'off' },
  });
  if (isStandby) await queryOnce(server.superuserUrl, 'select pg_promote()');
  await server.createDatabase('order');
}

/** Copies the data of a server that is stopped, as a standby has them that lacks what comes next. */
async function copy(from: string, to: string): Promise<void> {
  for (const suffix of ['', '-passwords.json'])
    await execa('cp', ['-a', join(folder, `${from}${suffix}`), join(folder, `${to}${suffix}`)]);
}

/** Orders that are placed one after another, each in a transaction of its own. */
async function place(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1)
    await queryOnce(
      server.url('order'),
      `insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
       values (gen_random_uuid(), '${alice}', 'PENDING', 1, 'USD', now(), now())`,
    );
}

it.each([
  ['a standby that is promoted', true],
  ['a copy of its volume', false],
])('what was lost in a failover to %s is told, however many transactions there were since', async (name, isStandby) => {
  await start('first');
  await migrate(server.url('order'), new URL('../../prisma/migrations/', import.meta.url));
  await place(1);
  await server.stop();
  const second = isStandby ? 'standby' : 'volume';
  await copy('first', second);

  await start('first');
  const replica = await startReplica(server.url('order'), { expects: /cannot be read|unavailable/ });
  try {
    const [gone, here] = [await beganStream(replica.url), await beganStream(replica.url)];
    await place(10);
    await until(`${name} lacks ten changes`, () => gone.statuses().length === 10 && here.statuses().length === 10);
    const lastEventId = gone.lastEventId() ?? '';
    gone.break();
    await server.stop();

    await start(second, { isStandby });
    // More than were lost: what the client has not seen has the numbers of what it has.
    await place(20);
    const back = await beganStream(replica.url, { lastEventId });
    expect(back.events[0]?.event).toBe('reset');
    await until('who was there all the time is told, too', () => here.events.some(({ event }) => event === 'reset'));
    await place(1);
    await until('both go on', () => [back, here].every(({ events }) => events.at(-1)?.event === 'order'));
  } finally {
    await replica.stop();
  }
});
