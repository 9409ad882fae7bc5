import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';

export const namespace = process.env.NAMESPACE || 'store';

export async function kubectl(...args: string[]): Promise<string> {
  return (await execa('kubectl', ['--namespace', namespace, ...args])).stdout;
}

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects, the tests say what they expect
export const get = async (...args: string[]): Promise<any> =>
  JSON.parse(await kubectl('get', ...args, '--output', 'json'));

/** Where the gateway's node port answers: STORE_URL, or the first node's address. */
export async function gatewayUrl(): Promise<string> {
  if (process.env.STORE_URL) return process.env.STORE_URL;
  const { spec } = await get('service', 'gateway');
  const { items } = await get('nodes');
  const address = items[0].status.addresses.find(({ type }: { type: string }) => type === 'InternalIP').address;
  return `http://${address}:${spec.ports[0].nodePort}`;
}

export async function deployments(): Promise<string[]> {
  const { items } = await get('deployments', '--selector', 'app.kubernetes.io/part-of=store');
  return items.map((item: { metadata: { name: string } }) => item.metadata.name);
}

/** Replaces the pods of these Deployments one by one, as an upgrade does; returns when the old ones are gone. */
export async function restart(names: string[], seconds = 300): Promise<void> {
  await kubectl('rollout', 'restart', ...names.map((name) => `deployment/${name}`));
  for (const name of names) await kubectl('rollout', 'status', `deployment/${name}`, `--timeout=${seconds}s`);
  for (const deadline = Date.now() + seconds * 1000; ; await sleep(500)) {
    const { items } = await get('pods', '--selector', `app.kubernetes.io/name in (${names.join()})`);
    if (items.every((pod: { metadata: { deletionTimestamp?: string } }) => !pod.metadata.deletionTimestamp)) return;
    if (Date.now() > deadline) throw new Error(`Old pods of ${names} do not end.`);
  }
}

/** Repeats expectations until they hold. */
export async function eventually(expectations: () => Promise<void>, seconds = 120): Promise<void> {
  for (const deadline = Date.now() + seconds * 1000; ; await sleep(1000)) {
    try {
      return await expectations();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
