import { execa } from 'execa';
import { cluster, contextOf, until } from './cluster.ts';

/** Forwards a free port of this machine to a pod of a Deployment. */
export async function portForward(
  deployment: string,
  port: number,
): Promise<{ url: string; stop(): Promise<unknown> }> {
  const where = [...contextOf('--context'), '--namespace', cluster.namespace];
  const process = execa('kubectl', [...where, 'port-forward', `deployment/${deployment}`, `:${port}`], {
    reject: false,
  });
  let said = '';
  for (const output of [process.stdout, process.stderr]) {
    output.on('data', (chunk) => {
      said += chunk;
    });
  }
  const stop = () => {
    process.kill();
    return process;
  };
  const forwarded = () => /127\.0\.0\.1:\d+/.exec(said)?.[0];
  try {
    const isForwarded = async () => {
      if (forwarded() === undefined) throw new Error(`kubectl port-forward says: ${said}`);
    };
    await until(`a port is forwarded to ${deployment}`, isForwarded, 60);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `http://${forwarded()}`, stop };
}
