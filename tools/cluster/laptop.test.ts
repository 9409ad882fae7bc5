import { cp, mkdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { useFolder } from '../../tests/kit/folder.ts';
import { root } from '../paths.ts';

// make kind-up images deploy on a machine with little more than macOS, with fake programs that record their calls.

const tools = ['sh', 'awk', 'basename', 'cat', 'env', 'grep', 'ls', 'make', 'mkdir', 'sed', 'touch'];
const notes = 'echo "$(basename "$0") $*" >> "$CALLS"\n';
const programs: Record<string, string> = {
  uname: 'echo Darwin\n',
  // The real npm would install into the node_modules of this repository.
  npm: `${notes}exit 1\n`,
  kind: `${notes}[ "$1" != get ] || echo another\n`,
  docker: `${notes}[ "$1" != buildx ] || exit "\${BUILDX:-0}"\n[ "$1" != build ] || exit "\${BUILD:-0}"\necho {}\n`,
  helm: `${notes}echo v4.2.4\n`,
  // No namespace exists yet. Objects to create arrive on standard input.
  kubectl: `${notes}case "$*" in *" get namespace "*) exit 1;; *create*) cat >> "$CALLS";; *current-context*) echo mine;; esac\n`,
  curl: 'echo "{ metadata: { name: operator, namespace: myproject } }"\n',
};
const copied = [
  'Makefile',
  'package.json',
  'package-lock.json',
  'kind-config.yaml',
  'charts',
  'k8s',
  'services',
  'tools',
];

const dir = useFolder();
beforeAll(async () => {
  const filter = (path: string) => !['.cache', '.git', 'dist', 'node_modules'].includes(basename(path));
  for (const path of copied) {
    await cp(join(root, path), join(dir, path), { recursive: true, preserveTimestamps: true, filter });
  }
  await symlink(join(root, 'node_modules'), join(dir, 'node_modules'));
  await utimes(join(dir, 'package-lock.json'), 0, 0); // nothing to install
  await mkdir(join(dir, 'bin'));
  for (const tool of tools) await symlink((await execa('which', [tool])).stdout, join(dir, 'bin', tool));
  await symlink(process.execPath, join(dir, 'bin/node'));
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(dir, 'bin', name), `#!/bin/sh\n${text}`, { mode: 0o755 });
  }
});

async function make(targets: string[], given: Record<string, string> = {}) {
  const CALLS = join(dir, 'calls');
  await writeFile(CALLS, '');
  const env = { HOME: dir, PATH: join(dir, 'bin'), CALLS, ...given };
  const options = { cwd: dir, env, extendEnv: false, all: true, reject: false } as const;
  const { exitCode, all } = await execa('make', targets, options);
  const calls = (await readFile(CALLS, 'utf8')).trimEnd().split('\n');
  return {
    ended: { exitCode, all },
    calls,
    callsOf: (name: string) => calls.filter((call) => call.startsWith(`${name} `)),
  };
}

it('make kind-up images deploy needs no Java and no GNU tools, and only reaches kind-store', async () => {
  const { ended, calls, callsOf } = await make(['kind-up', 'images', 'deploy']);
  expect(ended).toEqual({ exitCode: 0, all: expect.stringContaining('the namespace store of the cluster kind-store') });
  expect(callsOf('kind')).toEqual([
    'kind get clusters',
    'kind create cluster --config kind-config.yaml --wait 5m',
    expect.stringMatching(/^kind load docker-image --name store store\/auth:\w+ store\/account:.* store\/toolbox:\w+$/),
  ]);
  expect(callsOf('kubectl').filter((call) => !call.startsWith('kubectl --context kind-store '))).toEqual([]);
  expect(callsOf('kubectl').length).toBeGreaterThan(0);
  expect(calls).toContain('  name: store');
  expect(callsOf('helm').filter((call) => call.includes('upgrade'))).toEqual([
    expect.stringMatching(/^helm upgrade store charts\/store --install --kube-context kind-store --namespace store /),
  ]);
  expect((await stat(join(dir, '.cache/images.yaml'))).isFile()).toBe(true);
});

it('deploys to CONTEXT and NAMESPACE, and with an empty CONTEXT to the current one', async () => {
  const other = await make(['deploy', 'CONTEXT=minikube', 'NAMESPACE=shop']);
  expect(other.ended.all).toContain('To the namespace shop of the cluster minikube');
  expect(other.calls).toContain('  name: shop');
  expect(other.callsOf('kubectl').filter((call) => !call.startsWith('kubectl --context minikube '))).toEqual([]);
  const upgrade = expect.stringMatching(/^helm upgrade .* --kube-context minikube --namespace shop /);
  expect(other.callsOf('helm')).toContainEqual(upgrade);

  const current = await make(['deploy', 'CONTEXT=']);
  expect(current.ended.all).toContain('To the namespace store of the cluster mine');
  expect(current.callsOf('kubectl').filter((call) => call.includes('--context'))).toEqual([]);
});

it('make kafka waits until the cluster knows its resources before it creates any', async () => {
  const { ended, callsOf } = await make(['kafka']);
  expect(ended).toMatchObject({ exitCode: 0 });
  expect(callsOf('kubectl').join('\n')).toMatch(
    /apply --server-side[\s\S]*wait --for=condition=Established[\s\S]*apply --namespace store -f k8s\/kafka.yaml/,
  );
});

it.each([
  ['Docker without BuildKit', { BUILD: '1', BUILDX: '1' }, /because BuildKit is missing: install its plug-in buildx/],
  ['a build that fails', { BUILD: '1' }, /^(?![\s\S]*BuildKit)[\s\S]*docker build/],
])('says what is wrong with %s', async (_, env, message) => {
  expect((await make(['images'], env)).ended).toEqual({ exitCode: 2, all: expect.stringMatching(message) });
});

it('says how to get Helm', async () => {
  await rm(join(dir, 'bin/helm'));
  expect((await make(['undeploy'])).ended.all).toMatch(/Helm is not on PATH: .*brew install helm/);
});
