import { setTimeout as pause } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import { isReady, podsOf } from '../../../tools/cluster/pods.ts';
import { nameOf, waitForRollout } from '../../../tools/cluster/rollout.ts';
import { cluster, deploymentNames, say, until, upgrade } from '../kit/cluster.ts';
import { underLoad } from '../kit/load.ts';

const { core, namespace } = cluster;
const orderers = Number(process.env.ORDERERS ?? 3);
const limitSeconds = 30;

const podsBy = async (labelSelector: string) => (await core.listNamespacedPod({ namespace, labelSelector })).items;
const instances = (role: string) => podsBy(`cnpg.io/cluster=store-database,cnpg.io/instanceRole=${role}`);
const brokers = () => podsBy('app=store-kafka,role=broker');

interface Fault {
  what: string;
  victims(): Promise<V1Pod[]>;
  gracePeriodSeconds?: number;
  hasRecovered(victim: V1Pod): Promise<boolean>;
}

const replicas = (await instances('replica')).length;
const hasNewPrimary = async (victim: V1Pod) => {
  const ready = (await instances('replica')).filter(isReady);
  const primaries = (await instances('primary')).filter((pod) => isReady(pod) && nameOf(pod) !== nameOf(victim));
  return primaries.length > 0 && ready.length >= replicas;
};
const isBack = async ({ metadata }: V1Pod) => {
  const all = await brokers();
  return all.length > 0 && all.every((pod) => isReady(pod) && pod.metadata?.uid !== metadata?.uid);
};

const hasPrimary = (await instances('primary')).length > 0;
const faults: Fault[] = [
  { what: 'primary deleted', victims: () => instances('primary'), hasRecovered: hasNewPrimary },
  {
    what: 'primary killed',
    victims: () => instances('primary'),
    gracePeriodSeconds: 0,
    hasRecovered: hasNewPrimary,
  },
  ...((await brokers()).length < 3
    ? []
    : [{ what: 'broker deleted', victims: brokers, hasRecovered: isBack } satisfies Fault]),
];
if (!hasPrimary) console.log('The release does not use CloudNativePG: database.cloudnativePg.enabled is false.');

/** Starts an upgrade and waits until pods are being replaced. @returns a promise that resolves when all are replaced */
async function startUpgrade(): Promise<{ isDone: Promise<void> }> {
  const applied = upgrade('--reuse-values', '--set-string', `global.podAnnotations.test=${Date.now()}`);
  const isDone = applied.then(async () => waitForRollout(cluster, await deploymentNames(), () => undefined));
  await until('pods are being replaced', async () =>
    (await podsOf(cluster)).some(({ metadata }) => metadata?.deletionTimestamp),
  );
  return { isDone };
}

(hasPrimary ? it : it.skip).each([
  ['', async () => ({ isDone: Promise.resolve() })],
  ['during an upgrade', startUpgrade],
])('no order is lost or duplicated if a primary or a broker fails %s', async (during, start) => {
  const pauses: [string, number][] = [];
  const load = await underLoad({ retriesOrders: true, orderers }, async (load) => {
    const beganAt = Date.now();
    await pause(15_000);
    say(`${(load.since(beganAt).orders / 15).toFixed(1)} orders per second`);
    const { isDone } = await start();
    for (const { what, victims, gracePeriodSeconds, hasRecovered } of faults) {
      const [victim] = await victims();
      if (!victim) throw new Error(`There is no pod for: ${what}`);
      const startedAt = Date.now();
      say(`${what} ${during}: ${nameOf(victim)}`);
      await core.deleteNamespacedPod({ name: nameOf(victim), namespace, gracePeriodSeconds });
      await pause(2_000);
      await until('the pod is replaced', () => hasRecovered(victim));
      await pause(5_000);
      const recoveredAt = Date.now();
      await pause(10_000);
      const { orders, failures } = load.since(startedAt);
      const seconds = load.longestPause(startedAt);
      pauses.push([what, seconds]);
      const rate = (orders * 1_000) / (Date.now() - startedAt);
      const late = load.since(recoveredAt).failures;
      say(
        `${what} ${during}: ${seconds.toFixed(1)} s without orders, ${failures.length} requests failed, ${rate.toFixed(1)} orders per second`,
      );
      for (const { what } of late) say(`  ${what}`);
    }
    await isDone;
    await pause(5_000);
    const recoveredAt = Date.now();
    await pause(10_000);
    expect(load.since(recoveredAt).failures).toEqual([]);
  });
  await load.verify();
  for (const [what, seconds] of pauses) expect([what, Math.min(seconds, limitSeconds)]).toEqual([what, seconds]);
});
