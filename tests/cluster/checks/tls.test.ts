import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { PatchStrategy, setHeaderOptions, type V1Pod } from '@kubernetes/client-node';
import { orUndefined } from '../../../tools/cluster/api.ts';
import { podsOf } from '../../../tools/cluster/pods.ts';
import { waitForRollout } from '../../../tools/cluster/rollout.ts';
import { type Certificate, certificateFor, certificateFrom } from '../../kit/certificates.ts';
import { useFolder } from '../../kit/folder.ts';
import { sendExpecting } from '../../kit/http.ts';
import { createClient } from '../kit/client.ts';
import { cluster, helm, runTool, say, until, upgrade, withInstalledValues } from '../kit/cluster.ts';
import { expectNoLoss } from '../kit/load.ts';

const { core, namespace, release } = cluster;
const dir = useFolder();
const secret = 'store-tls-test';
const ports = { https: 30443, http: 30081 };
const tls = [
  `gateway.tls.existingSecret=${secret}`,
  `gateway.tls.publicPort=${ports.https}`,
  'gateway.service.type=NodePort',
  `gateway.service.httpsNodePort=${ports.https}`,
  `gateway.service.nodePort=${ports.http}`,
].flatMap((one) => ['--set', one]);

const authority = await certificateFor('authority.test');
const ca = authority.cert;
const addresses = (await core.listNode()).items[0]?.status?.addresses ?? [];
const host = addresses.find(({ type }) => type === 'InternalIP')?.address ?? 'localhost';
const url = `https://${host}:${ports.https}`;

const dataOf = ({ cert, key }: Certificate) => ({ 'tls.crt': cert, 'tls.key': key });
const create = (stringData: Record<string, string>) =>
  core.createNamespacedSecret({ namespace, body: { metadata: { name: secret }, stringData } });
const change = (stringData: Record<string, string>) =>
  core.patchNamespacedSecret(
    { name: secret, namespace, body: { stringData } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  );
const remove = () => core.deleteNamespacedSecret({ name: secret, namespace }).catch(orUndefined);

/** Returns the fingerprint of the certificate that a new connection gets. */
const servedFingerprint = () =>
  new Promise<string>((resolve, reject) => {
    const socket = connect({ host, port: ports.https, ca });
    socket.setTimeout(5_000, () => socket.destroy(new Error('no handshake within 5 s')));
    socket.on('error', reject).on('secureConnect', () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
  });
const isServed = async ({ cert }: Certificate) =>
  expect(await servedFingerprint()).toBe(new X509Certificate(cert).fingerprint256);

beforeEach(remove);
afterEach(remove);

const uidOf = ({ metadata }: V1Pod) => metadata?.uid;
/** Leaves out the pods from before an upgrade, which may still be draining. */
const gateways = async () => (await podsOf(cluster, 'gateway')).filter(({ metadata }) => !metadata?.deletionTimestamp);

it('HTTPS on a node port: demo, redirect, Secure cookies, and a certificate renewal under load', async () => {
  const first = await certificateFrom(authority, host);
  await create(dataOf(first));
  await withInstalledValues(async (file) => {
    say('helm upgrade to TLS');
    await upgrade('--values', file, ...tls);
    await until('HTTPS is served', () => isServed(first), 60);

    const { send, close } = createClient(`http://${host}:${ports.http}`, { keepAlive: false });
    // The previous replica may still get requests while it drains.
    await until('HTTP is redirected', async () => {
      const { status, headers } = await send('POST', '/orders', {}, { cookie: '__store_jwt_token=x' });
      expect([status, headers.get('location')]).toEqual([308, `${url}/orders`]);
    });
    close();

    const secure = createClient(url, { ca });
    const credentials = { email: `${crypto.randomUUID()}@example.com`, password: crypto.randomUUID() };
    await sendExpecting(201, secure.send, 'POST', '/auth/register', { name: 'Ada', ...credentials });
    const login = await sendExpecting(200, secure.send, 'POST', '/auth/login', credentials);
    expect(login.headers.get('set-cookie')).toMatch(/^__store_jwt_token=.*; Secure/);
    secure.close();

    const authorities = join(dir, 'authority.pem');
    await writeFile(authorities, ca);
    const env = { GATEWAY_URL: url, NODE_EXTRA_CA_CERTS: authorities };
    expect((await runTool('local/commands/demo.ts', [], env)).all).toContain('Everything went as expected.');
    say('helm test over HTTPS');
    expect(await helm('test', release, '--logs')).toContain('The store works.');

    const before = (await gateways()).map(uidOf);
    await expectNoLoss(
      async () => {
        const renewed = await certificateFrom(authority, host);
        await change(dataOf(renewed));
        await until('the renewed certificate is served', () => isServed(renewed), 180);
      },
      { gateway: { url, ca } },
    );
    expect((await gateways()).map(uidOf)).toEqual(before);
  });
});

it('a missing or broken certificate is reported, and the previous gateway keeps running', async () => {
  await withInstalledValues(async (file) => {
    const [before] = (await gateways()).map(uidOf);
    await helm('upgrade', release, 'charts/store', '--values', file, ...tls);
    const { all } = await runTool('cluster/commands/doctor.ts');
    expect(all).toContain(`WRONG  Secret ${secret}: it is missing`);
    await create({ 'tls.crt': 'nonsense', 'tls.key': 'nonsense' });
    const started = async () => (await gateways()).find((pod) => uidOf(pod) !== before);
    await until('the new pod logs why it is not ready', async () => {
      const name = (await started())?.metadata?.name ?? '';
      expect(await core.readNamespacedPodLog({ name, namespace })).toContain('Failed to load certificate chain');
    });
    expect((await started())?.status?.containerStatuses?.[0]?.ready).toBe(false);
    expect((await gateways()).map(uidOf)).toContain(before);

    say('a good certificate, without another upgrade');
    const good = await certificateFrom(authority, host);
    await change(dataOf(good));
    await until('the new pod serves it', () => isServed(good), 240);
    await waitForRollout(cluster, ['gateway'], () => undefined);
  });
});
