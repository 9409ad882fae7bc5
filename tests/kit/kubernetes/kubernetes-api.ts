import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { certificateFor } from '../certificates.ts';
import { listen } from '../listen.ts';

interface FakeSecret {
  kind?: 'Secret';
  metadata: {
    name: string;
    resourceVersion?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  data?: Record<string, string>;
}

/** A Deployment whose replicas are always ready. */
interface FakeDeployment {
  metadata: {
    name: string;
    generation?: number;
    annotations?: Record<string, string>;
    labels?: Record<string, string>;
  };
  spec: { replicas: number; template: { metadata: { annotations?: Record<string, string> }; spec: object } };
}

const collection = '/api/v1/namespaces/store/secrets';
const deploymentsPath = '/apis/apps/v1/namespaces/store/deployments';

/** Any other object. */
interface FakeObject {
  metadata: { name: string; labels?: Record<string, string>; [field: string]: unknown };
  [field: string]: unknown;
}

/** Kinds that every cluster knows. The fake knows another kind once it has an object of it. */
const known = /^\/(api\/v1|apis\/(apps|batch)\/v1|apis\/autoscaling\/v2)\/namespaces\/store\/\w+$/;

/**
 * A fake API server with objects in the namespace store. It speaks TLS, demands the token, and refuses a write to a Secret whose
 * resourceVersion is not the current one.
 */
export async function startKubernetesApi(deployments: FakeDeployment[] = []) {
  const token = 'token-of-the-service-account';
  const secrets = new Map<string, FakeSecret>();
  /** Objects that are neither Secrets nor Deployments, by path; a log is a string. */
  const objects = new Map<string, FakeObject | string>();
  const requests: string[] = [];
  /** Called before each request is handled, so that a test can interfere. If it throws, the connection breaks. */
  const hooks = {
    before: (_request: string): void => undefined,
    /** Selects requests to answer with 403. */
    refuse: (_request: string): boolean => false,
    /** Called with the path of each created or changed object. */
    after: (_request: string): void => undefined,
  };
  let version = 0;

  function write(name: string, secret: FakeSecret, over?: string): [number, object] {
    const present = secrets.get(name)?.metadata.resourceVersion;
    if (over !== undefined && over !== present) return failure(409, `the object has been modified: ${name}`);
    version += 1;
    const stored = { ...secret, metadata: { ...secret.metadata, name, resourceVersion: String(version) } };
    secrets.set(name, stored);
    return [200, stored];
  }

  function handleSecret(method: string, name: string, body: FakeSecret | undefined): [number, object] {
    const found = secrets.get(name);
    if (method === 'GET' && name === '') return [200, { items: [...secrets.values()] }];
    if (method === 'POST' && body) {
      if (secrets.has(body.metadata.name)) return failure(409, `secrets "${body.metadata.name}" already exists`);
      return write(body.metadata.name, body);
    }
    if (!found) return failure(404, `secrets "${name}" not found`);
    if (method === 'GET' || !body) return [200, found];
    if (method === 'PUT') return write(name, body, body.metadata.resourceVersion);
    const annotations = { ...found.metadata.annotations, ...body.metadata.annotations };
    const merged = { ...found, metadata: { ...found.metadata, annotations }, data: { ...found.data, ...body.data } };
    return write(name, merged, body.metadata.resourceVersion);
  }

  function handleDeployment(method: string, name: string, body: FakeDeployment | undefined): [number, object] {
    if (name === '') return [200, { items: deployments.map(withStatus) }];
    const found = deployments.find(({ metadata }) => metadata.name === name);
    if (!found) return failure(404, `deployments "${name}" not found`);
    if (method === 'PATCH') Object.assign(found, merged(found, body));
    return [200, withStatus(found)];
  }

  function handleOther(
    method: string,
    path: string,
    search: URLSearchParams,
    body: FakeObject,
  ): [number, object | string] {
    const found = objects.get(path);
    if (method === 'POST') {
      const { name, generateName } = body.metadata;
      const created = { ...body, metadata: { ...body.metadata, name: name ?? `${generateName}${objects.size}` } };
      objects.set(`${path}/${created.metadata.name}`, created);
      hooks.after(`POST ${path}/${created.metadata.name}`);
      return [201, created];
    }
    const within = [...objects].filter(([one]) => one.slice(0, one.lastIndexOf('/')) === path).map(([, one]) => one);
    if (method === 'GET' && found === undefined && (within.length > 0 || known.test(path)))
      return [200, { items: within.filter((one) => typeof one === 'object' && isSelected(one, search)) }];
    if (found === undefined) return failure(404, path);
    if (method === 'DELETE') objects.delete(path);
    if (method === 'PATCH') objects.set(path, merged(found, body) as FakeObject);
    if (method !== 'GET') hooks.after(`${method} ${path}`);
    return [200, objects.get(path) ?? found];
  }

  async function handle(request: IncomingMessage): Promise<[number, object | string]> {
    const [path = '', search] = (request.url ?? '').split('?');
    const { method = '' } = request;
    requests.push(`${method} ${path}`);
    if (request.headers.authorization !== `Bearer ${token}`) return failure(401, 'Unauthorized');
    if (hooks.refuse(`${method} ${path}`)) return failure(403, `${path} is forbidden`);
    const json = await text(request);
    const body = json === '' ? undefined : JSON.parse(json);
    if (path.startsWith(collection)) return handleSecret(method, path.slice(collection.length + 1), body);
    if (path.startsWith(deploymentsPath)) return handleDeployment(method, path.slice(deploymentsPath.length + 1), body);
    // Tests that define no pods get one for the replica of their only Deployment.
    if (path.endsWith('/pods') && objects.size === 0)
      return [200, { items: [{ metadata: { name: 'pod' }, status: { phase: 'Running' } }] }];
    return handleOther(method, path, new URLSearchParams(search), body);
  }

  const certificate = await certificateFor('127.0.0.1');
  const server = createServer(certificate, async (request, response) => {
    try {
      hooks.before(`${request.method} ${request.url}`);
    } catch {
      request.destroy();
      return;
    }
    const [status, answer] = await handle(request);
    const isText = typeof answer === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json' });
    response.end(isText ? answer : JSON.stringify(answer));
  });
  afterAll(() => server.close());
  const port = await listen(server);
  const cluster = { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': btoa(certificate.cert) };

  return {
    port,
    ca: certificate.cert,
    token,
    /** The content of a KUBECONFIG file, for clients outside a pod. */
    kubeconfig: JSON.stringify({
      'current-context': 'fake',
      clusters: [{ name: 'fake', cluster }],
      users: [{ name: 'fake', user: { token } }],
      contexts: [{ name: 'fake', context: { cluster: 'fake', user: 'fake' } }],
    }),
    deployments,
    secrets,
    objects,
    requests,
    hooks,
  };
}

const failure = (code: number, message: string): [number, object] => [code, { kind: 'Status', code, message }];

const withStatus = (deployment: FakeDeployment) => {
  const { replicas } = deployment.spec;
  const status = { observedGeneration: 1, replicas, updatedReplicas: replicas, availableReplicas: replicas };
  return { ...deployment, status };
};

/** A merge patch (RFC 7386). Other kinds of patches are treated as one. */
function merged(present: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(typeof present === 'object' ? present : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

const isSelected = ({ metadata }: FakeObject, search: URLSearchParams) =>
  (search.get('labelSelector') ?? '')
    .split(',')
    .filter(Boolean)
    .every(
      (term) =>
        term ===
        Object.entries(metadata.labels ?? {})
          .map(([name, value]) => `${name}=${value}`)
          .find((one) => one === term),
    );
