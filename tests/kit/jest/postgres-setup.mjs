import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../tools/free-port.ts';
import { startPostgres } from '../../../tools/local/components/postgres.ts';
import { afterTests } from './shared.mjs';

/** Starts one PostgreSQL for all component tests; each test file creates its own database. */
export default async function startForTests() {
  const dir = await mkdtemp(join(tmpdir(), 'store-test-postgres-'));
  await chmod(dir, 0o711); // started by root, the server runs as another user
  const postgres = await startPostgres({
    dataDir: join(dir, 'data'),
    port: await freePort(),
    log: () => undefined,
    settings: { fsync: 'off' },
  });
  process.env.TEST_DATABASE_URL = postgres.superuserUrl;
  afterTests(async () => {
    await postgres.stop();
    await rm(dir, { recursive: true, force: true });
  });
}
