import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { named, renderObjects } from '../../../tools/chart/render.ts';
import { findOnPath } from '../../../tools/local/downloads/provide-tool.ts';
import { queryOnce } from '../../kit/postgres/database.ts';
import { scripts } from '../../kit/postgres/postgres-client.ts';
import { until } from '../../kit/until.ts';

const psql = await findOnPath('psql');
if (psql === undefined) console.log('psql is not there: apt-get install postgresql-client');

/** The role as which the chart's exporter logs in. */
async function exporterRole(): Promise<string> {
  const objects = await renderObjects({ postgres: { metrics: { enabled: true } } });
  const { spec } = named(objects, 'StatefulSet', 'postgres');
  const { env } = spec.template.spec.containers.find(({ name }: { name: string }) => name === 'metrics');
  return / user=(\w+) /.exec(env[0].value)?.[1] ?? '';
}

(psql === undefined ? test.skip : test)('the exporter sees all statistics, and is no superuser', async () => {
  const base = new URL(process.env.TEST_DATABASE_URL ?? '');
  const dir = await mkdtemp(join(tmpdir(), 'store-exporter-role-'));
  const passwords = join(dir, 'passwords');
  await mkdir(passwords);
  await writeFile(join(passwords, 'postgres'), base.password);
  const running = execa('bash', [join(scripts, 'databases.sh')], {
    env: { PGHOST: base.hostname, PGPORT: base.port, PGPASSWORD: base.password, PASSWORDS: passwords },
    reject: false,
  });
  try {
    const role = await exporterRole();
    const rights = () =>
      queryOnce(
        base.href,
        `select rolsuper, rolcanlogin, pg_has_role(oid, 'pg_monitor', 'usage') as monitors from pg_roles where rolname = '${role}'`,
      );
    await until('it exists', async () => (await rights()).length === 1);
    expect(await rights()).toEqual([{ rolsuper: false, rolcanlogin: true, monitors: true }]);
  } finally {
    running.kill('SIGTERM');
    await running;
    await queryOnce(base.href, 'drop role if exists postgres_exporter');
    await rm(dir, { recursive: true });
  }
});
