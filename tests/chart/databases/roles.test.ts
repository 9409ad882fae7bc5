import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import pg from 'pg';
import { findOnPath } from '../../../tools/local/downloads/provide-tool.mjs';
import { useFolder } from '../../kit/folder.ts';
import { queryOnce } from '../../kit/postgres/database.ts';
import { scripts } from '../../kit/postgres/postgres-client.ts';
import { until } from '../../kit/until.ts';
import { type Manifest, manifests } from '../_manifests.ts';

const psql = await findOnPath('psql');
if (psql === undefined) console.log('psql is missing: apt-get install postgresql-client');

(psql === undefined ? describe.skip : describe)('databases.sh', () => {
  const dir = useFolder();
  const base = new URL(process.env.TEST_DATABASE_URL ?? '');
  const ask = (sql: string) => queryOnce<Record<string, unknown>>(base.href, sql);
  const write = (name: string, text: string) => writeFile(join(dir, 'passwords', name), text);
  let running: ReturnType<typeof execa>;
  beforeAll(async () => {
    await mkdir(join(dir, 'passwords'));
    const passwords = { postgres: base.password, rotated: 'one', 'rotated.b': 'two' };
    for (const [name, text] of Object.entries(passwords)) await write(name, text);
    running = execa('bash', [join(scripts, 'databases.sh')], {
      env: { PGHOST: base.hostname, PGPORT: base.port, PGPASSWORD: base.password, PASSWORDS: join(dir, 'passwords') },
      reject: false,
    });
  });
  afterAll(async () => {
    running.kill('SIGTERM');
    await running;
    await ask('drop database if exists rotated with (force)');
    for (const role of ['rotated.b', 'rotated', 'postgres_exporter']) await ask(`drop role if exists "${role}"`);
  });

  it('gives both roles of a database the same rights and their own passwords', async () => {
    const as = (role: string, password: string, sql: string) => {
      const url = Object.assign(new URL(base), { username: role, password, pathname: '/rotated' });
      return queryOnce<Record<string, unknown>>(url.href, sql);
    };
    await until('both can log in', async () => (await as('rotated.b', 'two', 'select')).length === 1);
    await as('rotated.b', 'two', 'create table made_by_b (n int)');
    await as('rotated', 'one', 'create table made_by_a (n int); alter table made_by_b add column m int');
    await as('rotated.b', 'two', 'drop table made_by_a');
    expect(await as('rotated.b', 'two', 'select session_user::text, current_user::text')).toEqual([
      { session_user: 'rotated.b', current_user: 'rotated' },
    ]);
    await write('rotated', 'three');
    await until('the new password is accepted', async () => (await as('rotated', 'three', 'select')).length === 1);
    await expect(as('rotated', 'one', 'select')).rejects.toThrow(pg.DatabaseError);
    expect(await as('rotated.b', 'two', 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it("creates the exporter's role, which sees all statistics and is not a superuser", async () => {
    const { podOf } = await manifests({ postgres: { metrics: { enabled: true } } });
    const { env } = podOf('postgres').containers.find(({ name }: Manifest) => name === 'metrics');
    const [, role] = / user=(\w+) /.exec(env[0].value) ?? [];
    const rights = `select rolsuper, rolcanlogin, pg_has_role(oid, 'pg_monitor', 'usage') as monitors
      from pg_roles where rolname = '${role}'`;
    await until('it exists', async () => (await ask(rights)).length === 1);
    expect(await ask(rights)).toEqual([{ rolsuper: false, rolcanlogin: true, monitors: true }]);
  });
});
