import { chmod, cp, mkdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { useFolder } from '../../tests/kit/folder.ts';
import { root } from '../paths.ts';

// make kind-up images deploy on a machine that has little more than macOS, with programs that note how they are called.

const tools = ['sh', 'awk', 'basename', 'cat', 'env', 'grep', 'ls', 'make', 'mkdir', 'sed', 'touch'];
const notes = '#!/bin/sh\necho "$(basename "$0") $*" >> "$CALLS"\n';
const programs: Record<string, string> = {
  uname: '#!/bin/sh\necho Darwin\n',
  // The real one would install into the node_modules of this repository.
  npm: `${notes}exit 1\n`,
  kind: `${notes}[ "$1" != get ] || echo another\n`,
  docker: `${notes}[ "$1" != buildx ] || exit "\${BUILDX:-0}"\n[ "$1" != build ] || exit "\${BUILD:-0}"\necho {}\n`,
  helm: `${notes}echo v4.2.4\n`,
  // No namespace exists yet, and what is created is given on standard input.
  kubectl: `${notes}case "$*" in *" get namespace "*) exit 1;; *create*) cat >> "$CALLS";; *current-context*) echo mine;; esac\n`,
  curl: '#!/bin/sh\necho "{ metadata: { name: operator, namespace: myproject } }"\n',
};

const dir = useFolder();
beforeAll(async () => {
  const isCopied = (path: string) => !['.cache', '.git', 'dist', 'node_modules'].includes(basename(path));
  const paths = [
    'Makefile',
    'package.json',
    'package-lock.json',
    'kind-config.yaml',
    'charts',
    'k8s',
    'services',
    'tools',
  ];
  for (const path of paths) {
    const options = { recursive: true, preserveTimestamps: true, filter: isCopied };
    await cp(join(root, path), join(dir, path), options);
  }
  await symlink(join(root, 'node_modules'), join(dir, 'node_modules'));
  await utimes(join(dir, 'package-lock.json'), 0, 0); // nothing to install
  await mkdir(join(dir, 'bin'));
  for (const tool of tools) await symlink((await execa('which', [tool])).stdout, join(dir, 'bin', tool));
  await symlink(process.execPath, join(dir, 'bin/node'));
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(dir, 'bin', name), text);
    await chmod(join(dir, 'bin', name), 0o755);
  }
});

async function make(targets: string[], env: Record<string, string> = {}) {
  const CALLS = join(dir, 'calls');
  await writeFile(CALLS, '');
  const given = { HOME: dir, PATH: join(dir, 'bin'), CALLS, ...env };
  const { exitCode, all } = await execa('make', targets, {
    cwd: dir,
    env: given,
    extendEnv: false,
    all: true,
    reject: false,
  });
  const calls = (await readFile(CALLS, 'utf8')).trimEnd().split('\n');
  return { exitCode, all, calls, callsOf: (name: string) => calls.filter((call) => call.startsWith(`${name} `)) };
}

it('make kind-up images deploy takes no Java and nothing of GNU, and only ever reaches kind-store', async () => {
  const { exitCode, all, calls, callsOf } = await make(['kind-up', 'images', 'deploy']);
  expect({ exitCode, all }).toEqual({
    exitCode: 0,
    all: expect.stringContaining('the namespace store of the cluster kind-store'),
  });
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

it('CONTEXT and NAMESPACE lead elsewhere, and empty CONTEXT to the current one', async () => {
  const other = await make(['deploy', 'CONTEXT=minikube', 'NAMESPACE=shop']);
  expect(other.all).toContain('To the namespace shop of the cluster minikube');
  expect(other.calls).toContain('  name: shop');
  expect(other.callsOf('kubectl').filter((call) => !call.startsWith('kubectl --context minikube '))).toEqual([]);
  expect(other.callsOf('helm')).toContainEqual(
    expect.stringMatching(/^helm upgrade .* --kube-context minikube --namespace shop /),
  );

  const current = await make(['deploy', 'CONTEXT=']);
  expect(current.all).toContain('To the namespace store of the cluster mine');
  expect(current.callsOf('kubectl').filter((call) => call.includes('--context'))).toEqual([]);
});

it('make kafka waits until the cluster knows its resources before it creates any', async () => {
  const { exitCode, callsOf } = await make(['kafka']);
  const order = [
    'apply --server-side',
    'wait --for=condition=Established',
    'apply --namespace store -f k8s/kafka.yaml',
  ];
  const places = order.map((text) => callsOf('kubectl').findIndex((call) => call.includes(text)));
  expect({ exitCode, places }).toEqual({ exitCode: 0, places: [...places].sort((a, b) => a - b) });
  expect(places).not.toContain(-1);
});

it.each([
  ['Docker without BuildKit', { BUILD: '1', BUILDX: '1' }, /for want of BuildKit: install its plug-in buildx/],
  ['a build that fails', { BUILD: '1' }, /^(?![\s\S]*BuildKit)[\s\S]*docker build/],
])('says what is wrong with %s', async (_, env, message) => {
  const { exitCode, all } = await make(['images'], env);
  expect({ exitCode, all }).toEqual({ exitCode: 2, all: expect.stringMatching(message) });
});

it('says how to get Helm', async () => {
  await rm(join(dir, 'bin/helm'));
  expect((await make(['undeploy'])).all).toMatch(/Helm is not on PATH: .*brew install helm/);
});
