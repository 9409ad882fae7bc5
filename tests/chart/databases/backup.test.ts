import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import pg from 'pg';
import { freePort } from '../../../tools/free-port.ts';
import { findOnPath, outputOf } from '../../../tools/local/downloads/provide-tool.mjs';
import { useFolder } from '../../kit/folder.ts';
import { runScript, scripts } from '../../kit/postgres/postgres-client.ts';
import { until } from '../../kit/until.ts';
import { type Manifest, type Manifests, manifests } from '../_manifests.ts';

// tests/e2e/backup.test.ts tests dump and restore on a whole store.

const rendered = (backup: object = {}) => manifests({ postgres: { backup: { enabled: true, ...backup } } });
const bucket = { s3: { endpoint: 'https://s3.test:9000', bucket: 'backups', prefix: 'a/b', existingSecret: 'keys' } };
const podOf = ({ pods }: Manifests, action: string): Manifest => pods().get(`CronJob/postgres-${action}`);

describe('a backup', () => {
  it('keeps its volume when the release is uninstalled, and creates none for S3 or an existing claim', async () => {
    const claims = async (backup: object) => (await rendered(backup)).ofKind('PersistentVolumeClaim');
    const keep = { 'helm.sh/resource-policy': 'keep' };
    expect((await claims({})).map(({ metadata }) => metadata.annotations)).toEqual([keep]);
    expect(await claims({ volume: { existingClaim: 'mine' } })).toEqual([]);
    expect(await claims(bucket)).toEqual([]);
  });

  it('is made at once, and again after a change of settings', async () => {
    const jobs = [await rendered(), await rendered({ keep: 3 })].map(({ one }) => one('Job', 'postgres-backup-'));
    expect(jobs[0].spec.template).toEqual(podOf(await rendered(), 'backup'));
    expect(jobs[1].metadata.name).not.toBe(jobs[0].metadata.name);
  });

  it.each(['backup', 'restore'])(
    'has pods that the Service of PostgreSQL does not select, but that may call it: %s',
    async (action) => {
      const all = await rendered();
      const { labels } = podOf(all, action).metadata;
      expect(labels).not.toMatchObject(all.named('Service', 'postgres').spec.selector);
      expect(labels['calls/postgres']).toBe('true');
      const { podSelector } = all.named('NetworkPolicy', 'postgres-backup').spec;
      expect(podSelector.matchExpressions[0].values).toContain(labels['app.kubernetes.io/name']);
    },
  );

  it('is uploaded to S3 after the dump and downloaded before a restore, and may reach the port of the bucket', async () => {
    const all = await rendered(bucket);
    const steps = (action: string) => {
      const { initContainers, containers } = podOf(all, action).spec;
      return [...initContainers, ...containers].map(({ command }) => command.join(' '));
    };
    expect(steps('backup')).toEqual(['bash /script/backup.sh', 'sh /script/upload.sh']);
    expect(steps('restore')).toEqual(['sh /script/download.sh', 'bash /script/restore.sh']);
    expect(all.named('NetworkPolicy', 'postgres-backup').spec.egress).toContainEqual({ ports: [{ port: 9000 }] });
  });
});

describe('restore.sh', () => {
  const dir = useFolder();
  it('lists the backups, or says that there are none, if no backup is named', async () => {
    const list = () => {
      const env = { PATH: process.env.PATH, BACKUPS: dir, FROM: '', CHECK: 'yes' };
      return execa('bash', [join(scripts, 'restore.sh')], { env, extendEnv: false, all: true, reject: false });
    };
    expect(await list()).toMatchObject({ exitCode: 0, all: 'There are: no backups yet' });
    for (const name of ['20260101T000000Z', '20260102T000000Z', '.partial-20260103T000000Z'])
      await mkdir(join(dir, name));
    expect(await list()).toMatchObject({ exitCode: 0, all: 'There are: 20260101T000000Z 20260102T000000Z ' });
  });
});

const found = process.env.RCLONE || ((await findOnPath('rclone')) ?? '');
// Debian's rclone is built without the S3 server.
const rclone = found && (await outputOf(found, ['serve', 's3', '--help']))?.includes('--auth-key') ? found : '';
if (rclone === '') console.log('rclone with "serve s3" is not there: set RCLONE to one from rclone.org');

(rclone === '' ? describe.skip : describe)('upload.sh and download.sh', () => {
  const dir = useFolder();
  let server: ReturnType<typeof execa>;
  let env: Record<string, string>;
  beforeAll(async () => {
    for (const folder of ['served/backups', 'backups', 'bin']) await mkdir(join(dir, folder), { recursive: true });
    const address = `127.0.0.1:${await freePort()}`;
    const keys = 'store-backup-key,store-backup-secret';
    const serve = ['serve', 's3', '--auth-key', keys, '--addr', address, join(dir, 'served')];
    server = execa(rclone, serve, { reject: false });
    const all = await rendered({ s3: { ...bucket.s3, endpoint: `http://${address}` } });
    const given = podOf(all, 'backup').spec.containers[0].env as { name: string; value?: string }[];
    env = Object.fromEntries(given.map(({ name, value = '' }) => [name, value]));
    env.RCLONE_CONFIG_S3_ACCESS_KEY_ID = 'store-backup-key';
    env.RCLONE_CONFIG_S3_SECRET_ACCESS_KEY = 'store-backup-secret';
    await execa('ln', ['-s', rclone, join(dir, 'bin/rclone')]);
    Object.assign(env, { PATH: `${join(dir, 'bin')}:${process.env.PATH}`, BACKUPS: join(dir, 'backups'), KEEP: '2' });
    const isUp = async () => (await fetch(`http://${address}`)).status > 0;
    await until('the S3 server answers', isUp);
  });
  afterAll(async () => {
    server.kill();
    await server;
  });

  const run = (name: string, more: Record<string, string> = {}) => {
    const options = { env: { ...env, ...more }, extendEnv: false, all: true, reject: false } as const;
    return execa('sh', [join(scripts, `${name}.sh`)], options);
  };

  async function dump(name: string): Promise<void> {
    await rm(join(dir, 'backups'), { recursive: true });
    await mkdir(join(dir, 'backups', name), { recursive: true });
    for (const file of ['order.dump', 'SHA256SUMS'])
      await writeFile(join(dir, 'backups', name, file), `${file} ${name}`);
  }

  it('keep the newest backups, and download the requested backup', async () => {
    const names = ['20260101T000000Z', '20260102T000000Z', '20260103T000000Z'];
    for (const name of names) {
      await dump(name);
      expect(await run('upload')).toMatchObject({ exitCode: 0, all: expect.stringContaining(`${name} is uploaded`) });
    }
    expect((await readdir(join(dir, 'served/backups/a/b'))).sort()).toEqual(names.slice(1));
    await rm(join(dir, 'backups'), { recursive: true });
    await mkdir(join(dir, 'backups'));
    expect(await run('download', { FROM: '' })).toMatchObject({ exitCode: 0 });
    expect((await readdir(join(dir, 'backups'))).sort()).toEqual(names.slice(1)); // which restore.sh lists
    const missing = await run('download', { FROM: names[0] ?? '' });
    const said = /no backup 20260101T000000Z. There are: 20260102T000000Z 20260103T000000Z/;
    expect(missing).toMatchObject({ exitCode: 1, all: expect.stringMatching(said) });
    await rm(join(dir, 'backups'), { recursive: true });
    expect(await run('download', { FROM: '20260102T000000Z' })).toMatchObject({ exitCode: 0 });
    const dumped = await readFile(join(dir, 'backups/20260102T000000Z/order.dump'), 'utf8');
    expect(dumped).toBe('order.dump 20260102T000000Z');
  });

  it('delete nothing if an upload fails', async () => {
    await dump('20260104T000000Z');
    const once = { RCLONE_LOW_LEVEL_RETRIES: '1', RCLONE_RETRIES: '1' };
    const failed = await run('upload', { RCLONE_CONFIG_S3_SECRET_ACCESS_KEY: 'wrong', ...once });
    expect(failed.exitCode).not.toBe(0);
    expect((await readdir(join(dir, 'served/backups/a/b'))).length).toBe(2);
  });
});

const psql = await findOnPath('psql');
if (psql === undefined) console.log('psql is missing: apt-get install postgresql-client');

(psql === undefined ? describe.skip : describe)('backup.sh', () => {
  it('waits for a migration, and dumps nothing while it runs', async () => {
    const url = process.env.TEST_DATABASE_URL ?? '';
    const service = new pg.Client({ connectionString: url });
    await service.connect();
    try {
      await service.query('select pg_advisory_lock(7310001)');
      const env = { BACKUPS: tmpdir(), KEEP: '1', MIGRATION_SECONDS: '1' };
      const name = new URL(url).pathname.slice(1);
      const said = `^A migration of .*${name}.* is running: waiting for its end\n.*: nothing was dumped$`;
      expect(await runScript(dirname(psql ?? ''), 'backup.sh', url, env)).toMatchObject({
        exitCode: 1,
        all: expect.stringMatching(new RegExp(said)),
      });
    } finally {
      await service.end();
    }
  });
});
