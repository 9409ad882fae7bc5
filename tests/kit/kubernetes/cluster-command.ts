import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import { type Cluster, withCluster } from '../../../tools/cluster/api.ts';

/**
 * Runs a command of tools/cluster against a fake API server. Writes the kubeconfig into the folder.
 * @returns what the command printed, ending with its error if it failed, and whether it failed
 */
export async function runInCluster(kubeconfig: string, dir: string, work: (cluster: Cluster) => Promise<unknown>) {
  const KUBECONFIG = join(dir, 'kubeconfig');
  await writeFile(KUBECONFIG, kubeconfig);
  Object.assign(process.env, { KUBECONFIG, CONTEXT: '', NAMESPACE: 'store', RELEASE: 'store' });
  const lines: string[] = [];
  const log = mock.method(console, 'log', (line: string) => lines.push(line));
  let failed = false;
  try {
    await withCluster(async (cluster) => void (await work(cluster)));
  } catch (error) {
    failed = true;
    lines.push((error as Error).message);
  } finally {
    log.mock.restore();
  }
  return { failed, said: lines.join('\n') };
}
