import { podsOf } from '../../../tools/cluster/pods.ts';
import { waitForRollout } from '../../../tools/cluster/rollout.ts';
import { cluster, deploymentNames, helm, say, upgrade, withInstalledValues } from '../kit/cluster.ts';
import { underLoad } from '../kit/load.ts';

/** The chart of the version before: a folder, a package, or oci://…; PREVIOUS_VALUES: a file with its images. */
const { PREVIOUS_CHART, PREVIOUS_VALUES } = process.env;
if (!PREVIOUS_CHART) say('not tried: the upgrade from the version before, for PREVIOUS_CHART names no chart');

const postgres = async () => (await podsOf(cluster, 'postgres'))[0]?.metadata?.uid;

(PREVIOUS_CHART ? test : test.skip)('an upgrade from the version before keeps all data', async () => {
  await withInstalledValues(async (file) => {
    const values = [file, PREVIOUS_VALUES].flatMap((one) => (one ? ['--values', one] : []));
    say(`helm upgrade back to ${PREVIOUS_CHART}`);
    await helm('upgrade', cluster.release, String(PREVIOUS_CHART), ...values, '--wait', '--timeout', '10m');
    const names = await deploymentNames();
    await waitForRollout(cluster, names, () => undefined);
    const before = await underLoad({}, async () => undefined);
    const itsPostgres = await postgres();
    const load = await underLoad({ insists: true }, async () => {
      say('helm upgrade to this version');
      await upgrade('--values', file);
      await waitForRollout(cluster, names, () => undefined);
    });
    const failures = load.failures.map(({ what }) => what);
    if ((await postgres()) === itsPostgres) expect(failures).toEqual([]);
    else say('PostgreSQL of the release was replaced too: while it was away, there was a 503');
    expect(failures.filter((what) => !what.includes(': 503 '))).toEqual([]);
    await load.verify();
    await before.verify();
  });
});
