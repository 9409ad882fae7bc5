import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { podsOf } from '../../../tools/cluster/pods.ts';
import { waitForRollout } from '../../../tools/cluster/rollout.ts';
import { cluster, deploymentNames, helm, say, upgrade, withInstalledValues } from '../kit/cluster.ts';
import { expectNoLoss, type Load, underLoad } from '../kit/load.ts';

/**
 * PREVIOUS_CHART: a folder, a package, or an oci://… address of the previous version, installed with the images that it names.
 * PREVIOUS_VALUES: a file with other images.
 */
const { PREVIOUS_CHART, PREVIOUS_VALUES } = process.env;
if (!PREVIOUS_CHART) say('skipped: the upgrade from the previous version, because PREVIOUS_CHART is not set');

const postgresUid = async () => (await podsOf(cluster, 'postgres'))[0]?.metadata?.uid;

/** Changes the version under load. No order is lost, and no request fails unless PostgreSQL is also replaced. */
async function change(to: string, run: () => Promise<unknown>): Promise<Load> {
  const uidBefore = await postgresUid();
  const load = await underLoad({ retriesOrders: true }, async () => {
    say(to);
    await run();
    await waitForRollout(cluster, await deploymentNames(), () => undefined);
  });
  const failures = load.failures.map(({ what }) => what);
  if ((await postgresUid()) === uidBefore) expect(failures).toEqual([]);
  else say('PostgreSQL was also replaced: 503 is allowed');
  expect(failures.filter((what) => !what.includes(': 503 '))).toEqual([]);
  return load;
}

(PREVIOUS_CHART ? it : it.skip)(
  'an upgrade from the previous version, and a rollback to it, keep all data',
  async () => {
    await withInstalledValues(async (file) => {
      const { global, ...others } = parse(await readFile(file, 'utf8')) ?? {};
      const { image, ...globalOthers } = global ?? {};
      const previous = join(dirname(file), 'previous.yaml');
      await writeFile(previous, stringify({ ...others, global: globalOthers }));
      const values = [previous, PREVIOUS_VALUES].flatMap((one) => (one ? ['--values', one] : []));
      const installPrevious = () => {
        // Version 0.1.0 has Secrets in its manifest; a Job of this version may have created them already.
        const back = ['upgrade', cluster.release, String(PREVIOUS_CHART), '--take-ownership'];
        return helm(...back, ...values, '--wait', '--timeout', '10m');
      };
      say(`helm upgrade back to ${PREVIOUS_CHART}`);
      await installPrevious();
      await waitForRollout(cluster, await deploymentNames(), () => undefined);
      const before = await underLoad({}, async () => undefined);
      const upgraded = await change('helm upgrade to this version', () => upgrade('--values', file));
      // The exception of 0.1.0 (docs/kubernetes.md, upgrades and rollbacks)
      const isFirst = /^version: 0\.1\.0$/m.test(await helm('show', 'chart', String(PREVIOUS_CHART)));
      const rollback = () => helm('rollback', cluster.release, '--wait', '--timeout', '10m');
      const rolledBack = await change('helm rollback to the previous version', isFirst ? installPrevious : rollback);
      for (const load of [before, upgraded, rolledBack]) await load.verify();
    });
  },
);

it('an upgrade that replaces all components at once fails no request and loses no order', async () => {
  await withInstalledValues(async (file) => {
    const names = await deploymentNames();
    await expectNoLoss(async (load) => {
      const startedAt = Date.now();
      say('helm upgrade with a new annotation on all pods');
      const marks = names.flatMap((name) => ['--set', `${name}.podAnnotations.test=${randomUUID()}`]);
      await upgrade('--values', file, ...marks);
      await waitForRollout(cluster, names, () => undefined);
      const { succeeded, failures } = load.since(startedAt);
      const seconds = Math.round((Date.now() - startedAt) / 1000);
      say(`upgraded in ${seconds} s, ${succeeded} requests succeeded, ${failures.length} failed`);
    });
  });
});
