import { execa } from 'execa';
import { exec, isReady, podsOf } from '../../../tools/cluster/pods.ts';
import { variableOf } from '../../../tools/cluster/rollout.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { type Customer, newCustomer, newProduct } from '../../kit/customer.ts';
import { createSend, type Send, sendExpecting } from '../../kit/http.ts';
import { createClient } from '../kit/client.ts';
import { cluster, contextOf, findGateway, until } from '../kit/cluster.ts';

// The console as operators use it: through a port-forward, with the token from its Secret.

const { core, apps, namespace } = cluster;
const others = topology.services.filter(({ alias }) => alias !== 'console');

/** Forwards a free port of this machine to a pod of a Deployment. */
async function portForward(deployment: string, port: number): Promise<{ url: string; stop(): Promise<unknown> }> {
  const where = [...contextOf('--context'), '--namespace', namespace];
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

let forwarded: Awaited<ReturnType<typeof portForward>>;
let client: ReturnType<typeof createClient>;
/** Sends a request with the session of an operator who has the token. */
let asOperator: Send;
let ada: Customer;
let tea: string;

async function readToken(): Promise<string> {
  const deployment = await apps.readNamespacedDeployment({ name: 'console', namespace });
  const { name = '', key = '' } = variableOf(deployment, 'CONSOLE_TOKEN')?.valueFrom?.secretKeyRef ?? {};
  const { data } = await core.readNamespacedSecret({ name, namespace });
  return Buffer.from(data?.[key] ?? '', 'base64').toString();
}

const logIn = (token: string) =>
  client.send('POST', '/console/session', { token, name: 'cluster test' }, { origin: forwarded.url });
const read = async (path: string) => (await sendExpecting(200, asOperator, 'GET', path)).body;

beforeAll(async () => {
  await until('the console is ready', async () => expect((await podsOf(cluster, 'console')).some(isReady)).toBe(true));
  forwarded = await portForward('console', 8080);
  client = createClient(forwarded.url);
  const { status, headers } = await logIn(await readToken());
  expect(status).toBe(204);
  const session = { cookie: headers.get('set-cookie')?.split(';')[0] ?? '', origin: forwarded.url };
  asOperator = (method, path, body) => client.send(method, `/console${path}`, body, session);
  ada = await newCustomer(createSend(await findGateway()));
  tea = await newProduct(ada);
}, 600_000);

afterAll(async () => {
  client?.close();
  await forwarded?.stop();
});

it('requires its token, and is not reachable through the gateway', async () => {
  expect((await client.send('GET', '/console/')).status).toBe(200);
  expect((await client.send('GET', '/console/api/now')).status).toBe(401);
  expect((await logIn('not the token of the console, but as long')).status).toBe(401);
  for (const path of ['/console', '/console/', '/api/now', '/api/dead-letters', `/internal/products/${tea}`])
    expect([path, (await ada.send('GET', path)).status]).toEqual([path, 404]);
});

it('does not answer other pods', async () => {
  const program = `
    const answer = fetch('http://console:8080/', { signal: AbortSignal.timeout(5_000) });
    console.log(await answer.then(({ status }) => status, () => 'nothing'));`;
  const pod = (await podsOf(cluster, 'order')).find(isReady);
  if (!pod) throw new Error('No replica of order is ready.');
  const output = await exec(cluster, pod, ['node', '--input-type=module', '--eval', program]);
  // With enforced NetworkPolicies nothing comes back; without them, a refusal.
  expect(['nothing', '403']).toContain(output.trim());
});

it('shows the current state: every process is UP, and every group has a lag', async () => {
  await until('all processes are UP', async () => {
    const { replicas, points } = await read('/api/now');
    const names = [...new Set(replicas.map(({ service }: { service: string }) => service))];
    expect(names.sort()).toEqual(others.map(({ name }) => name).sort());
    expect(replicas.filter(({ state }: { state: string }) => state !== 'UP')).toEqual([]);
    expect(Object.keys(points.at(-1).lag).sort()).toEqual(Object.keys(topology.groups).sort());
  });
});

it('shows dead letters and the audit trail of every group', async () => {
  const groups: { service: string; problem?: string }[] = await read('/api/dead-letters');
  expect(groups.map(({ service, problem }) => [service, problem]).sort()).toEqual(
    Object.values(topology.groups)
      .map(({ name }) => [name, undefined])
      .sort(),
  );
  expect(await read('/api/dead-letters/audit')).toMatchObject({ problems: [] });
});
