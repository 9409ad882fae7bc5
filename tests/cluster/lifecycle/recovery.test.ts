import { writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { requireHelm } from '../../../tools/local/downloads/helm.mjs';
import { root } from '../../../tools/paths.ts';
import { codeBlocks, scriptsRunBy } from '../../docs/_documents.ts';
import { logIn, newCustomer } from '../../kit/customer.ts';
import { useFolder } from '../../kit/folder.ts';
import { withCookie } from '../../kit/http.ts';
import { createClient, placeConfirmed, storedOrders } from '../kit/client.ts';
import { cluster, contextOf, findTrustedGateway, helm, kubectl, runTool, say, until } from '../kit/cluster.ts';
import { underLoad } from '../kit/load.ts';

const { namespace, release } = cluster;
/** Contains the files that the page's commands name. */
const folder = useFolder();
const saved = ['store-jwt-key', 'store-internal', 'store-backups'];

const inNamespace = (...args: string[]) => kubectl(['-n', namespace, ...args]);
const json = async (...args: string[]) => JSON.parse((await inNamespace(...args, '-o', 'json')).stdout);

const values = JSON.parse(await helm('get', 'values', release, '-o', 'json'));
const isArchived = values.database?.cloudnativePg?.backup?.enabled === true;
if (!isArchived)
  console.log('The release does not archive PostgreSQL: database.cloudnativePg.backup.enabled is false.');

/** Cuts off the archive, kills everything in the namespace, and deletes it with its volumes. */
async function lose(): Promise<void> {
  await kubectl(['-n', 'store-backups', 'delete', 'service', 's3']);
  const restarting = 'deployments,replicasets,statefulsets,clusters.postgresql.cnpg.io,poolers.postgresql.cnpg.io';
  await inNamespace('delete', restarting, '--all', '--cascade=orphan', '--wait=false');
  await inNamespace('delete', 'pods', '--all', '--force', '--grace-period=0', '--wait=false');
  await kubectl(['delete', 'namespace', namespace, '--wait=false']);
}

const primary = async () => (await json('get', 'pods', '-l', 'cnpg.io/instanceRole=primary')).items[0];

async function query(sql: string): Promise<string> {
  const { metadata } = await primary();
  const psql = ['psql', '-d', 'order', '-Atc', sql];
  return (await inNamespace('exec', metadata.name, '-c', 'postgres', '--', ...psql)).stdout;
}

/** Moves the archive to a later timeline than the base backup's. */
async function failOver(): Promise<void> {
  const { metadata } = await primary();
  await inNamespace('delete', 'pod', metadata.name);
  await until('another instance is the primary', async () => (await primary()).metadata.name !== metadata.name);
}

/**
 * Resolves once everything written so far is archived. After a failover that may take a minute: the first archiving by a new primary
 * fails while the operator is busy, and PostgreSQL waits before it retries.
 */
async function untilArchived(): Promise<void> {
  const segment = await query('select pg_walfile_name(pg_switch_wal())');
  await until(
    'the segment is archived',
    async () => (await query('select last_archived_wal from pg_stat_archiver')) >= segment,
  );
}

/** The sudden end of so many pods may have restarted the operator. */
const untilOperatorAnswers = () =>
  until('the operator answers', () => {
    const spec = { cluster: { name: 'store-database' }, name: 'probe', owner: 'probe' };
    const probe = {
      apiVersion: 'postgresql.cnpg.io/v1',
      kind: 'Database',
      metadata: { name: 'probe', namespace },
      spec,
    };
    return kubectl(['apply', '--dry-run=server', '-f', '-'], { input: JSON.stringify(probe) });
  });

/** Ids and states of the stored orders. */
async function ordersInDatabase(): Promise<Map<string, string>> {
  const stdout = await query('select id, status from orders');
  return new Map(stdout.split('\n').map((line) => line.split('|') as [string, string]));
}

/** Runs the page's commands. */
async function recover(): Promise<void> {
  const [page] = scriptsRunBy('tests/cluster/lifecycle/recovery.test.ts');
  if (page === undefined) throw new Error('No document has commands for this test.');
  const isRecovery = ({ document, text }: { document: string; text: string }) =>
    document === page.document && text.startsWith('# recovery.yaml');
  const recovery = codeBlocks.find(isRecovery)?.text ?? '';
  await writeFile(join(folder, 'recovery.yaml'), recovery);
  const PATH = [dirname(await requireHelm()), process.env.PATH].join(delimiter);
  const script = page.script.replaceAll('-n store', `-n ${namespace}`);
  const { all, failed } = await execa('sh', ['-exc', script], { cwd: folder, env: { PATH }, all: true, reject: false });
  say(all);
  expect(failed).toBe(false);
}

async function connect() {
  const { url, ca } = await findTrustedGateway();
  return createClient(url, { ca });
}

const itIfArchived = isArchived ? it : it.skip;

itIfArchived(
  'a store is recovered from its archive in an empty namespace',
  async () => {
    if (contextOf('--context').length > 0) throw new Error('Set CONTEXT= and choose the cluster by KUBECONFIG.');
    await writeFile(join(folder, 'values.yaml'), JSON.stringify(values));
    const { exitCode } = await runTool('chart/package.ts', ['0.2.0', '--images', 'store', '--to', folder]);
    expect(exitCode).toBe(0);
    await execa('tar', ['-xzf', 'store-0.2.0.tgz'], { cwd: folder });
    const secrets = await Promise.all(saved.map((name) => json('get', 'secret', name)));

    await until('there is a backup', async () => {
      const { items } = await json('get', 'backups.postgresql.cnpg.io');
      return items.some(({ status }: { status?: { phase?: string } }) => status?.phase === 'completed');
    });
    await failOver();
    const before = await connect();
    await until('customers can register again', () => newCustomer(before.send));
    const customer = await newCustomer(before.send);
    const order = await placeConfirmed(customer);
    before.close();
    await untilArchived();

    let lostAt = 0;
    const load = await underLoad({ orderers: Number(process.env.ORDERERS ?? 10) }, async () => {
      await pause(60_000);
      lostAt = Date.now();
      await lose(); // prepare.sh restores access to the archive
    });
    await until('the namespace is gone', async () => {
      const { exitCode } = await kubectl(['get', 'namespace', namespace], { reject: false });
      return exitCode !== 0;
    });

    const startedAt = Date.now();
    await execa('sh', [join(root, 'tests/cluster/production/prepare.sh')], { env: { NAMESPACE: namespace } });
    for (const { kind, apiVersion, type, data, metadata } of secrets) {
      const secret = { kind, apiVersion, type, data, metadata: { name: metadata.name, namespace } };
      await kubectl(['apply', '-f', '-'], { input: JSON.stringify(secret) });
    }
    await untilOperatorAnswers();
    await recover();
    const after = await connect();
    const cookie = await logIn(after.send, customer);
    const restored = { ...customer, cookie, send: withCookie(after.send, cookie) };
    await placeConfirmed(restored);
    say(`RTO: an order is confirmed ${Math.round((Date.now() - startedAt) / 1000)} s after the namespace was empty`);
    expect(await storedOrders(restored.send)).toContainEqual(
      expect.objectContaining({ id: order.id, status: 'CONFIRMED' }),
    );

    const stored = await ordersInDatabase();
    const lost = load.placed().filter(({ id, at }) => at <= lostAt && !stored.has(id));
    const since = Math.min(lostAt, ...lost.map(({ at }) => at));
    say(
      `RPO: ${lost.length} of ${load.placed().length} orders, those of the last ${Math.round((lostAt - since) / 1000)} s`,
    );
    // The restored history has no gaps: no order older than the newest restored one is missing.
    const newest = Math.max(0, ...load.placed().map(({ id, at }) => (stored.has(id) ? at : 0)));
    expect(lost.filter(({ at }) => at < newest - 1_000)).toEqual([]);
    expect((lostAt - since) / 1000).toBeLessThan(300);
    await until('no order is PENDING', async () => ![...(await ordersInDatabase()).values()].includes('PENDING'));
    after.close();
  },
  1_800_000,
);
