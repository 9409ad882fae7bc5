import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import { withCluster } from '../../../tools/cluster/api.ts';
import { kidOf, newSecret, readKeys } from '../../../tools/cluster/jwt-keys.ts';
import { type Options, rotateKey } from '../../../tools/cluster/rotation/rotate-key.ts';
import { useFolder } from '../../kit/folder.ts';
import { startKubernetesApi } from '../../kit/kubernetes/kubernetes-api.ts';

// make rotate-key against a fake API server, where tokens live for a day; tests/cluster has the real one, under load.

const fromSecret = (name: string) => ({ name, valueFrom: { secretKeyRef: { name: 'store-jwt', key: name } } });
const env = [
  fromSecret('JWT_SECRET_KEY'),
  fromSecret('JWT_PREVIOUS_SECRET_KEYS'),
  { name: 'JWT_TTL_SECONDS', value: '86400' },
];
const auth = {
  metadata: { name: 'auth', generation: 1 },
  spec: { replicas: 1, template: { metadata: {}, spec: { containers: [{ name: 'auth', env }] } } },
};

const hours = 3_600_000;
const inHours = (count: number) => new Date(Date.now() + count * hours).toISOString();

const dir = useFolder();
let api: Awaited<ReturnType<typeof startKubernetesApi>>;
beforeEach(async () => {
  api = await startKubernetesApi([structuredClone(auth)]);
  await writeFile(join(dir, 'kubeconfig'), api.kubeconfig);
  Object.assign(process.env, { KUBECONFIG: join(dir, 'kubeconfig'), NAMESPACE: 'store', RELEASE: 'store' });
});
afterEach(() => api.close());

function write(signing: string, previous: string[], annotations: Record<string, string> = {}) {
  const data = { JWT_SECRET_KEY: btoa(signing), JWT_PREVIOUS_SECRET_KEYS: btoa(previous.join()) };
  api.secrets.set('store-jwt', { metadata: { name: 'store-jwt', annotations, resourceVersion: 'first' }, data });
}

const stored = () => {
  const secret = api.secrets.get('store-jwt');
  if (!secret) throw new Error('There is no Secret store-jwt.');
  return secret;
};
const keys = () => readKeys(stored());

/** @returns what it said, the refusal last */
async function runRotateKey(options: Partial<Options> = {}) {
  const lines: string[] = [];
  const log = mock.method(console, 'log', (line: string) => lines.push(line));
  try {
    await withCluster((cluster) => rotateKey(cluster, { keep: 2, ...options }));
    return { done: true, said: lines.join('\n') };
  } catch (error) {
    return { done: false, said: [...lines, (error as Error).message].join('\n') };
  } finally {
    log.mock.restore();
  }
}

/** The time that a refusal names. */
const possibleFrom = (text: string) => Date.parse(/\d{4}-\S+Z/.exec(text)?.[0] ?? '');
const refusal = { done: false, said: expect.stringMatching(/would drop .*--keep 3.*--now/) };

describe('make rotate-key', () => {
  it('refuses a third rotation while tokens of the key that it would drop may be valid, unless it is told to', async () => {
    const first = newSecret();
    write(first, []);
    for (let n = 0; n < 2; n += 1) expect(await runRotateKey()).toMatchObject({ done: true });
    const before = keys();
    expect(before.previous).toEqual([expect.any(String), first]);

    const third = await runRotateKey();
    expect(third).toEqual(refusal);
    expect(keys()).toEqual(before);
    expect(possibleFrom(third.said)).toBeGreaterThan(Date.now() + 23.9 * hours);
    expect(possibleFrom(third.said)).toBeLessThan(Date.now() + 24.1 * hours);
    for (const key of [before.signing, ...before.previous]) expect(third.said).not.toContain(key);

    expect(await runRotateKey({ keep: 3 })).toMatchObject({ done: true });
    expect(keys().previous).toEqual([before.signing, ...before.previous]);
    expect(await runRotateKey({ now: true })).toMatchObject({ done: true });
    expect(keys().previous).toHaveLength(2);
    expect(keys().previous).not.toContain(first);
  });

  it('rotates a third time once the tokens of the key that it drops have expired', async () => {
    const first = newSecret();
    write(first, []);
    for (let n = 0; n < 2; n += 1) expect(await runRotateKey()).toMatchObject({ done: true });
    const { annotations = {} } = stored().metadata;
    for (const [name, text] of Object.entries(annotations)) {
      annotations[name] = text.replace(/\d{4}-\d\d-\d\dT[^"]+Z/g, inHours(-1));
    }
    expect(await runRotateKey()).toMatchObject({ done: true });
    expect(keys().previous).toHaveLength(2);
    expect(keys().previous).not.toContain(first);
  });

  it('counts from the end of a rotation that was interrupted, because replicas sign with the old key until then', async () => {
    const first = newSecret();
    write(first, []);
    api.hooks.before = (request) => {
      if (request.startsWith('PATCH') && keys().signing !== first) throw new Error('interrupted');
    };
    for (let n = 0; n < 2; n += 1) expect(await runRotateKey()).toMatchObject({ done: false });
    api.hooks.before = () => undefined;
    const { annotations = {} } = stored().metadata;
    expect(annotations).toHaveProperty('store/next-jwt-key', await kidOf(keys().signing));
    // An hour ago
    for (const [name, text] of Object.entries(annotations)) {
      annotations[name] = text.replace(/\d{4}-\d\d-\d\dT[^"]+Z/g, (date) =>
        new Date(Date.parse(date) - hours).toISOString(),
      );
    }
    expect(await runRotateKey({ dropPrevious: true })).toMatchObject({
      done: false,
      said: expect.stringContaining('interrupted'),
    });
    expect(await runRotateKey()).toMatchObject({ done: true, said: expect.stringContaining('Resuming') });
    const finishedAt = Date.now();
    const refused = await runRotateKey({ dropPrevious: true });
    expect(possibleFrom(refused.said)).toBeGreaterThan(finishedAt + 24 * hours - 10_000);
  });
});

describe('a Secret that does not say when the tokens of its previous keys expire', () => {
  const previous = [newSecret(), newSecret()];

  it.each([
    ['was rotated by version 0.1.0', { 'store/jwt-key-since': inHours(-48) }, refusal],
    ['was written by hand', {}, refusal],
  ])('%s', async (_, annotations, expected) => {
    write(newSecret(), previous, annotations);
    expect(await runRotateKey()).toMatchObject(expected);
  });

  it('is refused for one life of a token, not for ever', async () => {
    write(newSecret(), previous);
    const [first, second] = [await runRotateKey(), await runRotateKey()];
    expect(second).toEqual(refusal);
    expect(possibleFrom(second.said)).toBe(possibleFrom(first.said));
  });

  it('keeps its previous keys for the same time', async () => {
    write(newSecret(), previous);
    const refused = await runRotateKey({ dropPrevious: true });
    expect(refused).toEqual({ done: false, said: expect.stringContaining('may be alive') });
    expect(await runRotateKey({ dropPrevious: true })).toEqual(refused);
    expect(keys().previous).toEqual(previous);
    expect(await runRotateKey({ dropPrevious: true, now: true })).toMatchObject({ done: true });
    expect(keys().previous).toEqual([]);
  });
});

describe('a key pair', () => {
  const optional = (name: string) => ({
    name,
    valueFrom: { secretKeyRef: { name: 'store-jwt', key: name, optional: true } },
  });
  const secrets = ['JWT_SECRET_KEY', 'JWT_PREVIOUS_SECRET_KEYS'].map(optional);
  const pairs = ['JWT_PRIVATE_KEY', 'JWT_PREVIOUS_PUBLIC_KEYS'].map(optional);
  const jwks = { name: 'BEARER_JWKS_URL', value: 'http://auth:8080/.well-known/jwks.json' };
  const withEnv = (name: string, env: object[]) => ({
    ...auth,
    metadata: { name, generation: 1 },
    spec: { replicas: 1, template: { metadata: {}, spec: { containers: [{ name, env }] } } },
  });
  const ttl = { name: 'JWT_TTL_SECONDS', value: '86400' };
  const ready = () =>
    api.deployments.splice(0, 9, withEnv('auth', [...secrets, ...pairs, ttl]), withEnv('account', [...secrets, jwks]));
  const inSecret = (name: string) => atob(stored().data?.[name] ?? '');

  it('replaces a shared secret, whose tokens still verify', async () => {
    ready();
    const first = newSecret();
    write(first, []);
    expect(await runRotateKey({ keyPair: true })).toMatchObject({ done: true });
    expect(inSecret('JWT_PRIVATE_KEY')).toMatch(/^-----BEGIN PRIVATE KEY-----\n.*\n-----END PRIVATE KEY-----\n$/);
    expect(inSecret('JWT_SECRET_KEY')).toBe(first);
    expect(keys()).toEqual({ signing: inSecret('JWT_PRIVATE_KEY').trim(), previous: [first] });
    expect(Object.keys(stored().data ?? {})).not.toContain('JWT_NEXT_PRIVATE_KEY');
  });

  it('is followed by a key pair, and keeps the public half only of what it replaces', async () => {
    ready();
    write(newSecret(), []);
    await runRotateKey({ keyPair: true });
    const { signing: first, previous } = keys();
    expect(await runRotateKey()).toMatchObject({ done: true });
    expect(keys().signing).toContain('BEGIN PRIVATE KEY');
    expect(keys().signing).not.toBe(first);
    expect(await Promise.all(keys().previous.map(kidOf))).toEqual(await Promise.all([first, ...previous].map(kidOf)));
    expect(inSecret('JWT_PREVIOUS_PUBLIC_KEYS')).not.toContain('PRIVATE');
  });

  it('verifies before it signs, also if the rotation is interrupted in between', async () => {
    ready();
    const first = newSecret();
    write(first, []);
    api.hooks.before = (request) => {
      if (request.startsWith('PATCH')) throw new Error('interrupted');
    };
    expect(await runRotateKey({ keyPair: true })).toMatchObject({ done: false });
    api.hooks.before = () => undefined;
    expect(keys().signing).toBe(first);
    expect(inSecret('JWT_PRIVATE_KEY')).toBe('');
    const [introduced = ''] = keys().previous;
    expect(inSecret('JWT_PREVIOUS_PUBLIC_KEYS')).toContain('BEGIN PUBLIC KEY');
    expect(await runRotateKey()).toMatchObject({ done: true, said: expect.stringContaining('Resuming') });
    expect(keys()).toEqual({ signing: introduced, previous: [first] });
  });

  it.each([
    [
      'a service that checks tokens by the secret alone',
      [...secrets, ...pairs],
      secrets,
      /account checks tokens .*BEARER_JWKS_URL/,
    ],
    [
      'an auth that does not start without the secret',
      [...env, ...pairs],
      [...secrets, jwks],
      /auth does not start .*global.jwt.existingSecret/,
    ],
    ['an auth that gets no private key', secrets, [...secrets, jwks], /auth checks tokens by JWT_SECRET_KEY alone/],
  ])('is refused for %s', async (_, authEnv, accountEnv, said) => {
    api.deployments.splice(0, 9, withEnv('auth', authEnv), withEnv('account', accountEnv));
    const first = newSecret();
    write(first, []);
    expect(await runRotateKey({ keyPair: true })).toEqual({ done: false, said: expect.stringMatching(said) });
    expect(keys()).toEqual({ signing: first, previous: [] });
  });

  it.each([
    ['JWT_PRIVATE_KEY', 'no key', /JWT_PRIVATE_KEY must be an Ed25519 private key/],
    ['JWT_PREVIOUS_PUBLIC_KEYS', 'no key', /JWT_PREVIOUS_PUBLIC_KEYS must be Ed25519 public keys/],
  ])('is refused for an invalid %s', async (name, text, said) => {
    ready();
    write(newSecret(), []);
    Object.assign(stored().data ?? {}, { [name]: btoa(text) });
    expect(await runRotateKey()).toEqual({ done: false, said: expect.stringMatching(said) });
  });
});
