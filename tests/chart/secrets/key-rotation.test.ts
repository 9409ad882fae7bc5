import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import { withCluster } from '../../../tools/cluster/api.ts';
import { kidOf, newSecret, readKeys } from '../../../tools/cluster/jwt-keys.ts';
import { type Options, rotateKey } from '../../../tools/cluster/rotation/rotate-key.ts';
import { useFolder } from '../../kit/folder.ts';
import { startKubernetesApi } from '../../kit/kubernetes/kubernetes-api.ts';

// make rotate-key against a fake API server, with tokens that live for a day. tests/cluster tests it on a real cluster under load.

const fromSecret = (key: string, optional?: boolean) => ({
  name: key,
  valueFrom: { secretKeyRef: { name: 'store-jwt', key, optional } },
});
const secrets = ['JWT_SECRET_KEY', 'JWT_PREVIOUS_SECRET_KEYS'];
const env = [...secrets.map((key) => fromSecret(key)), { name: 'JWT_TTL_SECONDS', value: '86400' }];
const deployment = (name: string, env: object[]) => ({
  metadata: { name, generation: 1 },
  spec: { replicas: 1, template: { metadata: {}, spec: { containers: [{ name, env }] } } },
});

const hours = 3_600_000;
const inHours = (count: number) => new Date(Date.now() + count * hours).toISOString();

const dir = useFolder();
let api: Awaited<ReturnType<typeof startKubernetesApi>>;
beforeEach(async () => {
  api = await startKubernetesApi([deployment('auth', env)]);
  await writeFile(join(dir, 'kubeconfig'), api.kubeconfig);
  Object.assign(process.env, { KUBECONFIG: join(dir, 'kubeconfig'), NAMESPACE: 'store', RELEASE: 'store' });
});

/** @returns the signing key */
function write(previous: string[] = [], annotations: Record<string, string> = {}): string {
  const signing = newSecret();
  const data = { JWT_SECRET_KEY: btoa(signing), JWT_PREVIOUS_SECRET_KEYS: btoa(previous.join()) };
  api.secrets.set('store-jwt', { metadata: { name: 'store-jwt', annotations, resourceVersion: 'first' }, data });
  return signing;
}

const stored = () => {
  const secret = api.secrets.get('store-jwt');
  if (!secret) throw new Error('There is no Secret store-jwt.');
  return secret;
};
const keys = () => readKeys(stored());

/** @returns what the command printed, ending with its refusal */
async function runRotateKey(options: Options = {}) {
  const lines: string[] = [];
  const log = mock.method(console, 'log', (line: string) => lines.push(line));
  try {
    await withCluster((cluster) => rotateKey(cluster, options));
    return { done: true, said: lines.join('\n') };
  } catch (error) {
    return { done: false, said: [...lines, (error as Error).message].join('\n') };
  } finally {
    log.mock.restore();
  }
}

async function expectDone(options?: Options, said = '') {
  expect(await runRotateKey(options)).toEqual({ done: true, said: expect.stringContaining(said) });
}

function changeDates(change: (date: string) => string): void {
  const { annotations = {} } = stored().metadata;
  for (const [name, text] of Object.entries(annotations))
    annotations[name] = text.replace(/\d{4}-\d\d-\d\dT[^"]+Z/g, change);
}

/** The time in a refusal. */
const possibleFrom = (text: string) => Date.parse(/\d{4}-\S+Z/.exec(text)?.[0] ?? '');

describe('make rotate-key', () => {
  it('keeps every key that may have valid tokens, and then drops it at the next rotation', async () => {
    const first = write();
    await expectDone();
    const second = keys().signing;
    await expectDone();
    const third = keys().signing;
    await expectDone();
    expect(keys().previous).toEqual([third, second, first]);
    changeDates(() => inHours(-1));
    const fourth = keys().signing;
    await expectDone();
    expect(keys().previous).toEqual([fourth]);
  });

  it('counts from the end of an interrupted rotation, because replicas sign with the old key until then', async () => {
    const first = write();
    api.hooks.before = (request) => {
      if (request.startsWith('PATCH') && keys().signing !== first) throw new Error('interrupted');
    };
    for (let n = 0; n < 2; n += 1) expect(await runRotateKey()).toMatchObject({ done: false });
    api.hooks.before = () => undefined;
    expect(stored().metadata.annotations).toHaveProperty('store/next-jwt-key', await kidOf(keys().signing));
    changeDates((date) => new Date(Date.parse(date) - hours).toISOString());
    const unfinished = await runRotateKey({ dropPrevious: true });
    expect(unfinished).toEqual({ done: false, said: expect.stringContaining('interrupted') });
    await expectDone({}, 'Resuming');
    const finishedAt = Date.now();
    const refused = await runRotateKey({ dropPrevious: true });
    expect(possibleFrom(refused.said)).toBeGreaterThan(finishedAt + 24 * hours - 10_000);
  });
});

describe('a Secret that does not say when the tokens of its previous keys expire', () => {
  const previous = [newSecret(), newSecret()];

  it.each([
    ['by version 0.1.0', { 'store/jwt-key-since': inHours(-48) }],
    ['by hand', {}],
  ])('keeps them for one token lifetime, not for ever: written %s', async (_, annotations) => {
    write(previous, annotations);
    const [first, second] = [await runRotateKey({ dropPrevious: true }), await runRotateKey({ dropPrevious: true })];
    expect(possibleFrom(second.said)).toBeGreaterThan(Date.now() + 23.9 * hours);
    expect(second).toEqual(first);
    await expectDone();
    expect(keys().previous.slice(1)).toEqual(previous);
  });

  it('keeps its previous keys for the same time', async () => {
    write(previous);
    const refused = await runRotateKey({ dropPrevious: true });
    expect(refused).toEqual({ done: false, said: expect.stringContaining('may be valid') });
    expect(await runRotateKey({ dropPrevious: true })).toEqual(refused);
    expect(keys().previous).toEqual(previous);
    await expectDone({ dropPrevious: true, now: true });
    expect(keys().previous).toEqual([]);
  });
});

describe('a key pair', () => {
  const optional = secrets.map((key) => fromSecret(key, true));
  const pairs = ['JWT_PRIVATE_KEY', 'JWT_PREVIOUS_PUBLIC_KEYS'].map((key) => fromSecret(key, true));
  const verifying = [...optional, { name: 'BEARER_JWKS_URL', value: 'http://auth:8080/.well-known/jwks.json' }];
  const deploy = (auth: object[] = [...optional, ...pairs, ...env.slice(2)], account: object[] = verifying) =>
    api.deployments.splice(0, 9, deployment('auth', auth), deployment('account', account));
  const inSecret = (name: string) => atob(stored().data?.[name] ?? '');

  it('replaces a shared secret, whose tokens still verify', async () => {
    deploy();
    const first = write();
    await expectDone({ keyPair: true });
    expect(inSecret('JWT_PRIVATE_KEY')).toMatch(/^-----BEGIN PRIVATE KEY-----\n.*\n-----END PRIVATE KEY-----\n$/);
    expect(inSecret('JWT_SECRET_KEY')).toBe(first);
    expect(keys()).toEqual({ signing: inSecret('JWT_PRIVATE_KEY').trim(), previous: [first] });
    expect(Object.keys(stored().data ?? {})).not.toContain('JWT_NEXT_PRIVATE_KEY');
  });

  it('is followed by a key pair, and keeps only the public half of what it replaces', async () => {
    deploy();
    write();
    await expectDone({ keyPair: true });
    const { signing: first, previous } = keys();
    await expectDone();
    expect(keys().signing).toContain('BEGIN PRIVATE KEY');
    expect(keys().signing).not.toBe(first);
    expect(await Promise.all(keys().previous.map(kidOf))).toEqual(await Promise.all([first, ...previous].map(kidOf)));
    expect(inSecret('JWT_PREVIOUS_PUBLIC_KEYS')).not.toContain('PRIVATE');
  });

  it('verifies before it signs, even if the rotation is interrupted in between', async () => {
    deploy();
    const first = write();
    api.hooks.before = (request) => {
      if (request.startsWith('PATCH')) throw new Error('interrupted');
    };
    expect(await runRotateKey({ keyPair: true })).toMatchObject({ done: false });
    api.hooks.before = () => undefined;
    expect(keys().signing).toBe(first);
    expect(inSecret('JWT_PRIVATE_KEY')).toBe('');
    const [introduced = ''] = keys().previous;
    expect(inSecret('JWT_PREVIOUS_PUBLIC_KEYS')).toContain('BEGIN PUBLIC KEY');
    await expectDone({}, 'Resuming');
    expect(keys()).toEqual({ signing: introduced, previous: [first] });
  });

  it.each([
    [[...optional, ...pairs], optional, /account checks tokens .*BEARER_JWKS_URL/],
    [[...env, ...pairs], verifying, /auth does not start .*global.jwt.existingSecret/],
    [optional, verifying, /auth checks tokens only by JWT_SECRET_KEY/],
  ])('is refused if a pod could not use it: %#', async (auth, account, said) => {
    deploy(auth, account);
    const first = write();
    expect(await runRotateKey({ keyPair: true })).toEqual({ done: false, said: expect.stringMatching(said) });
    expect(keys()).toEqual({ signing: first, previous: [] });
  });

  it.each([
    ['JWT_PRIVATE_KEY', 'JWT_PRIVATE_KEY must be an Ed25519 private key'],
    ['JWT_PREVIOUS_PUBLIC_KEYS', 'JWT_PREVIOUS_PUBLIC_KEYS must be Ed25519 public keys'],
  ])('is refused for an invalid %s', async (name, said) => {
    deploy();
    write();
    Object.assign(stored().data ?? {}, { [name]: btoa('no key') });
    expect(await runRotateKey()).toEqual({ done: false, said: expect.stringContaining(said) });
  });
});
