import { ApiException, AppsV1Api, BatchV1Api, CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { messageOf } from '../../services/shared/src/values/errors.ts';

export type Cluster = ReturnType<typeof connect>;

/** For the help of a command that connects. */
export const environmentHelp = `
Environment:
  KUBECONFIG  file with the clusters, as for kubectl
  CONTEXT     one of its contexts; make: kind-store by default. Empty: the current one
  NAMESPACE   default: store
  RELEASE     name of the Helm release, default: store`;

/** The address that the library uses if it finds none. */
const nowhere = 'http://localhost:8080';

/** Uses KUBECONFIG, else the file in the home directory, else the pod's own cluster; and in it CONTEXT, else the current context. */
export function connect() {
  const config = new KubeConfig();
  try {
    config.loadFromDefault();
  } catch (cause) {
    const file = process.env.KUBECONFIG ?? 'not set';
    throw new Error(`KUBECONFIG (${file}) cannot be used: ${(cause as Error).message}`, { cause });
  }
  const { CONTEXT } = process.env;
  if (CONTEXT) {
    const names = config.getContexts().map(({ name }) => name);
    const how = `create it by make kind-up, or choose another: CONTEXT=${names[0] ?? '<name>'}`;
    if (!names.includes(CONTEXT)) throw new Error(`kubectl has no context ${CONTEXT}: ${how}`);
    config.setCurrentContext(CONTEXT);
  } else if (config.getCurrentCluster()?.server === nowhere) {
    throw new Error('There is no cluster: set KUBECONFIG to the file that kubectl uses.');
  }
  return {
    config,
    core: config.makeApiClient(CoreV1Api),
    apps: config.makeApiClient(AppsV1Api),
    batch: config.makeApiClient(BatchV1Api),
    namespace: process.env.NAMESPACE || 'store',
    release: process.env.RELEASE || 'store',
  };
}

/** Connects, and turns API errors into a sentence. */
export async function withCluster(work: (cluster: Cluster) => Promise<void>): Promise<void> {
  const cluster = connect();
  try {
    await work(cluster);
  } catch (cause) {
    throw new Error(sentence(cause, cluster), { cause });
  }
}

export const isStatus = (error: unknown, code: number) => error instanceof ApiException && error.code === code;

/** For catch: undefined if the API has no such object. */
export const orUndefined = (error: unknown): undefined => {
  if (isStatus(error, 404)) return undefined;
  throw error;
};

/** An error as a sentence, because the library's own message is the whole response with its headers. */
export function sentence(error: unknown, { config }: Cluster): string {
  if (error instanceof ApiException) {
    const body = typeof error.body === 'string' ? error.body : JSON.stringify(error.body);
    const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(body)?.[1];
    return `The cluster refused the request (${error.code}): ${message?.replaceAll('\\"', '"') ?? body}`;
  }
  const code = (error as NodeJS.ErrnoException).code;
  const server = config.getCurrentCluster()?.server ?? 'an unknown address';
  if (code?.match(/^E(?!RR_)/))
    return `The cluster does not respond at ${server} (${code}): is it running, and is KUBECONFIG the right file?`;
  return messageOf(error);
}
