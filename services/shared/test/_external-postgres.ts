import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certificateFor, certificateFrom } from '../../../tests/kit/certificates.ts';
import { queryOnce } from '../../../tests/kit/postgres/database.ts';
import { freePort } from '../../../tools/free-port.ts';
import { startPostgres } from '../../../tools/local/components/postgres.ts';

/** A PostgreSQL that listens on localhost, ::1 and 127.0.0.1; its certificate covers only the first two. */
export async function startExternalPostgres() {
  const dir = await mkdtemp(join(tmpdir(), 'store-external-postgres-'));
  await chmod(dir, 0o711); // started by root, the server runs as another user
  const [dataDir, port] = [join(dir, 'data'), await freePort()];
  const [authority, other] = [await certificateFor('Test authority'), await certificateFor('Another authority')];
  const [caFile, otherCaFile] = [join(dir, 'ca.crt'), join(dir, 'other-ca.crt')];
  await writeFile(caFile, authority.cert);
  await writeFile(otherCaFile, other.cert);
  const settings = { fsync: 'off', listen_addresses: '127.0.0.1,::1' };
  const postgres = await startPostgres({ dataDir, port, settings, log: () => undefined });
  const sql = (statement: string) => queryOnce<Record<string, unknown>>(postgres.superuserUrl, statement);

  const { key, cert } = await certificateFrom(authority, 'localhost', '::1');
  const { uid, gid } = await stat(dataDir);
  for (const [name, content] of Object.entries({ 'server.key': key, 'server.crt': cert })) {
    await writeFile(join(dataDir, name), content, { mode: 0o600 });
    await chown(join(dataDir, name), uid, gid);
  }
  await sql('alter system set ssl = on');
  await sql('select pg_reload_conf()');
  await sql("create role store login password 'first-password'");
  await sql('create database store owner store');

  /** Stands for the file of a mounted Kubernetes Secret. */
  const file = join(dir, 'url');
  return {
    sql,
    caFile,
    otherCaFile,
    url: (host: string, role = 'store', password = 'first-password') =>
      `postgresql://${role}:${password}@${host}:${port}/store`,
    /** @returns the DATABASE_URL of the chart */
    async writeUrl(url: string, ca = caFile): Promise<string> {
      await writeFile(file, `${url}\n`);
      return `file://${file}?sslmode=verify-full&sslrootcert=${ca}`;
    },
    /** @returns the chart's DATABASE_URL for the PostgreSQL in the release */
    async writeLogin(login: string, ca = caFile): Promise<string> {
      await writeFile(file, `${login}\n`);
      return `file://${file}?at=localhost:${port}/store&sslmode=verify-full&sslrootcert=${ca}`;
    },
    async stop() {
      await postgres.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
