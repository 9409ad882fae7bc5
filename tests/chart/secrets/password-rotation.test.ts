import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import { withCluster } from '../../../tools/cluster/api.ts';
import { nextAnnotation, podAnnotation } from '../../../tools/cluster/rotation/roles.ts';
import { rotatePassword } from '../../../tools/cluster/rotation/rotate-password.ts';
import { textOf } from '../../../tools/cluster/secrets.ts';
import { useFolder } from '../../kit/folder.ts';
import { startKubernetesApi } from '../../kit/kubernetes/kubernetes-api.ts';

// The command against a fake API server. tests/chart/databases tests how PostgreSQL uses the files; tests/cluster tests both together
// under load.

const dir = useFolder();

describe('make rotate-password', () => {
  let api: Awaited<ReturnType<typeof startKubernetesApi>>;
  const orderFrom = (name: string) => {
    const volumes = [{ projected: { sources: [{ secret: { name, items: [{ key: 'order', path: 'login' }] } }] } }];
    const template = { metadata: {}, spec: { containers: [{ name: 'order' }], volumes } };
    return { metadata: { name: 'order', generation: 1 }, spec: { replicas: 1, template } };
  };

  async function start(secret = 'postgres-logins'): Promise<void> {
    api = await startKubernetesApi([orderFrom(secret)]);
    await writeFile(join(dir, 'kubeconfig'), api.kubeconfig);
    Object.assign(process.env, { KUBECONFIG: join(dir, 'kubeconfig'), NAMESPACE: 'store', RELEASE: 'store' });
    const secretOf = (name: string, data: Record<string, string>) =>
      api.secrets.set(name, { metadata: { name, resourceVersion: 'first' }, data });
    secretOf('postgres', { postgres: btoa('super'), order: btoa('one'), status: btoa('two') });
    // status was added after a rotation.
    secretOf('postgres-logins', { order: btoa('order:one'), status: btoa('status:two') });
  }

  const read = (name: string, key: string) => textOf(api.secrets.get(name) ?? {}, key);
  const annotations = () => api.secrets.get('postgres')?.metadata.annotations ?? {};

  /** @returns what the command printed, ending with its error if it failed */
  async function rotate(): Promise<string> {
    const lines: string[] = [];
    const log = mock.method(console, 'log', (line: string) => lines.push(line));
    /** Expects that PostgreSQL accepts the password of every replica, old or new, at every moment. */
    const accepted = async () => {
      for (const database of ['order', 'status']) {
        const [role = '', password] = read('postgres-logins', database).split(':');
        expect(read('postgres', role)).toBe(password);
      }
    };
    try {
      await withCluster((cluster) => rotatePassword(cluster, accepted));
    } catch (error) {
      lines.push((error as Error).message);
    } finally {
      log.mock.restore();
    }
    return lines.join('\n');
  }

  it('changes to the other role and back, and replaces every password', async () => {
    await start();
    const said = await rotate();
    expect(said).toContain('Done.');
    expect(read('postgres-logins', 'order')).toBe(`order.b:${read('postgres', 'order.b')}`);
    expect(read('postgres-logins', 'status')).toBe(`status.b:${read('postgres', 'status.b')}`);
    const first = ['postgres', 'order', 'status', 'order.b'].map((role) => read('postgres', role));
    for (const old of ['super', 'one', 'two']) expect(first).not.toContain(old);
    for (const password of first) expect(said).not.toContain(password);
    expect(annotations()).toEqual({});
    expect(await rotate()).toContain('Done.');
    expect(read('postgres-logins', 'order')).toBe(`order:${read('postgres', 'order')}`);
    for (const role of ['postgres', 'order', 'order.b']) expect(first).not.toContain(read('postgres', role));
  });

  it.each([
    ['PUT /api/v1/namespaces/store/secrets/postgres-logins', 1],
    ['PATCH /apis/apps/v1/namespaces/store/deployments/order', 1],
    ['PUT /api/v1/namespaces/store/secrets/postgres', 2],
  ])('resumes after an interruption at %s', async (request, time) => {
    await start();
    let seen = 0;
    api.hooks.before = (one) => {
      const [path] = one.split('?');
      if (path === request) seen += 1;
      if (path === request && seen === time) throw new Error('interrupted');
    };
    expect(await rotate()).not.toContain('Done.');
    expect(annotations()).toHaveProperty(nextAnnotation, 'order.b status.b');
    api.hooks.before = () => undefined;
    const introduced = read('postgres', 'order.b');
    expect(await rotate()).toMatch(/^Resuming[\s\S]*Done\./);
    expect(read('postgres-logins', 'order')).toBe(`order.b:${introduced}`);
    expect(api.deployments[0]?.spec.template.metadata.annotations).toHaveProperty([podAnnotation]);
    expect(annotations()).toEqual({});
  });

  it('refuses a release whose pods have only one role', async () => {
    await start('postgres');
    const said = 'order gets a password from the Secret postgres, as in older releases: upgrade the release first';
    expect(await rotate()).toBe(said);
    expect(read('postgres', 'order')).toBe('one');
  });
});
