import { setTimeout as pause } from 'node:timers/promises';
import { ApiException, AppsV1Api, BatchV1Api, CoreV1Api, KubeConfig } from '@kubernetes/client-node';

/** The cluster that kubectl would speak to: KUBECONFIG, else the file in the home directory, else the pod's own. */
export function connect() {
  const config = new KubeConfig();
  config.loadFromDefault();
  return {
    config,
    core: config.makeApiClient(CoreV1Api),
    apps: config.makeApiClient(AppsV1Api),
    batch: config.makeApiClient(BatchV1Api),
    namespace: process.env.NAMESPACE || 'store',
    release: process.env.RELEASE || 'store',
  };
}

/** For a command: a wrong KUBECONFIG is told in one line. */
export function connectOrExit(): Cluster {
  try {
    return connect();
  } catch (error) {
    console.error(`KUBECONFIG (${process.env.KUBECONFIG ?? 'not set'}) cannot be used: ${(error as Error).message}`);
    return process.exit(1);
  }
}

export type Cluster = ReturnType<typeof connect>;

export const isStatus = (error: unknown, code: number) => error instanceof ApiException && error.code === code;

/** Undefined where there is no such thing. */
export const orUndefined = (error: unknown): undefined => {
  if (isStatus(error, 404)) return undefined;
  throw error;
};

/** What went wrong, in one sentence; the library's own message is the whole answer with its headers. */
export function sentence(error: unknown, { config }: Cluster): string {
  if (error instanceof ApiException) {
    const body = typeof error.body === 'string' ? error.body : JSON.stringify(error.body);
    const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(body)?.[1];
    return `The cluster refuses it (${error.code}): ${message?.replaceAll('\\"', '"') ?? body}`;
  }
  const code = (error as NodeJS.ErrnoException).code;
  const server = config.getCurrentCluster()?.server ?? 'nowhere';
  if (code?.match(/^E(?!RR_)/))
    return `The cluster does not answer at ${server} (${code}): is it up, and KUBECONFIG the right file?`;
  return error instanceof Error ? error.message : String(error);
}

/** Asks every second until the answer is yes; says what it waits for whenever that changes. */
export async function waitUntil(
  seconds: number,
  look: () => Promise<string | undefined>,
  say: (line: string) => void,
): Promise<void> {
  let said: string | undefined;
  for (const deadline = Date.now() + seconds * 1000; ; await pause(1_000)) {
    const missing = await look();
    if (missing === undefined) return;
    if (missing !== said) say(missing);
    said = missing;
    if (Date.now() > deadline) throw new Error(`Not so after ${seconds} s: ${missing}. make doctor says why.`);
  }
}
