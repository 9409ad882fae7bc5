import { podsOf } from '../../../tools/cluster/pods.ts';
import { waitForRollout } from '../../../tools/cluster/rollout.ts';
import { cluster, deploymentNames, helm, say, upgrade, withInstalledValues } from '../kit/cluster.ts';
import { underLoad } from '../kit/load.ts';

/** PREVIOUS_CHART: a folder, a package, or oci://… of the previous version; PREVIOUS_VALUES: a file with its images. */
const { PREVIOUS_CHART, PREVIOUS_VALUES } = process.env;
if (!PREVIOUS_CHART) say('skipped: the upgrade from the previous version, because PREVIOUS_CHART is not set');

const postgresUid = async () => (await podsOf(cluster, 'postgres'))[0]?.metadata?.uid;

(PREVIOUS_CHART ? test : test.skip)('an upgrade from the previous version keeps all data', async () => {
  await withInstalledValues(async (file) => {
    const values = [file, PREVIOUS_VALUES].flatMap((one) => (one ? ['--values', one] : []));
    say(`helm upgrade back to ${PREVIOUS_CHART}`);
    // Version 0.1.0 has Secrets in its manifest, which a Job of this version may have created.
    const back = ['upgrade', cluster.release, String(PREVIOUS_CHART), '--take-ownership'];
    await helm(...back, ...values, '--wait', '--timeout', '10m');
    const names = await deploymentNames();
    await waitForRollout(cluster, names, () => undefined);
    const before = await underLoad({}, async () => undefined);
    const uidBefore = await postgresUid();
    const load = await underLoad({ retriesOrders: true }, async () => {
      say('helm upgrade to this version');
      await upgrade('--values', file);
      await waitForRollout(cluster, names, () => undefined);
    });
    const failures = load.failures.map(({ what }) => what);
    if ((await postgresUid()) === uidBefore) expect(failures).toEqual([]);
    else say('the upgrade replaced PostgreSQL too: 503 is allowed');
    expect(failures.filter((what) => !what.includes(': 503 '))).toEqual([]);
    await load.verify();
    await before.verify();
  });
});
