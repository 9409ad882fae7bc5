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

/** A Deployment of which every replica is always ready. */
interface FakeDeployment {
  metadata: { name: string; generation?: number };
  spec: { replicas: number; template: { metadata: { annotations?: Record<string, string> }; spec: object } };
}

const collection = '/api/v1/namespaces/store/secrets';
const deploymentsPath = '/apis/apps/v1/namespaces/store/deployments';

/**
 * A fake of the API server with Secrets and Deployments in the namespace store: it speaks TLS, demands the token, and refuses
 * a write over another version than the present one.
 */
export async function startKubernetesApi(deployments: FakeDeployment[] = []) {
  const token = 'token-of-the-service-account';
  const secrets = new Map<string, FakeSecret>();
  const requests: string[] = [];
  /** Called before each request is handled, so that a test can interfere; what throws breaks the connection. */
  const hooks = { before: (_request: string): void => undefined };
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
    if (method === 'PATCH') {
      const { metadata } = found.spec.template;
      metadata.annotations = { ...metadata.annotations, ...body?.spec.template.metadata.annotations };
    }
    return [200, withStatus(found)];
  }

  async function handle(request: IncomingMessage): Promise<[number, object]> {
    const [path = ''] = (request.url ?? '').split('?');
    const { method = '' } = request;
    requests.push(`${method} ${path}`);
    if (request.headers.authorization !== `Bearer ${token}`) return failure(401, 'Unauthorized');
    const json = await text(request);
    const body = json === '' ? undefined : JSON.parse(json);
    if (path.startsWith(collection)) return handleSecret(method, path.slice(collection.length + 1), body);
    if (path.startsWith(deploymentsPath)) return handleDeployment(method, path.slice(deploymentsPath.length + 1), body);
    // A pod for each replica of the one Deployment.
    if (path.endsWith('/pods')) return [200, { items: [{ metadata: { name: 'pod' }, status: { phase: 'Running' } }] }];
    return failure(404, path);
  }

  const certificate = await certificateFor('127.0.0.1');
  const server = createServer(certificate, async (request, response) => {
    try {
      hooks.before(`${request.method} ${request.url}`);
    } catch {
      request.destroy();
      return;
    }
    const [status, object] = await handle(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(object));
  });
  afterAll(() => server.close());
  const port = await listen(server);
  const cluster = { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': btoa(certificate.cert) };

  return {
    port,
    ca: certificate.cert,
    token,
    /** The file that KUBECONFIG names, for whoever is nobody's pod. */
    kubeconfig: JSON.stringify({
      'current-context': 'fake',
      clusters: [{ name: 'fake', cluster }],
      users: [{ name: 'fake', user: { token } }],
      contexts: [{ name: 'fake', context: { cluster: 'fake', user: 'fake' } }],
    }),
    deployments,
    secrets,
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
