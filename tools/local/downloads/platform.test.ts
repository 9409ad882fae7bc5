import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../paths.ts';
import { envoy } from './envoy.ts';
import { libraries } from './helm.ts';
import { jdk } from './java.ts';
import { platformOf } from './platform.ts';

const linux = { platform: 'linux', arch: 'x64', glibc: '2.36', release: '6.1.0' };
const mac = { platform: 'darwin', arch: 'arm64', release: '24.6.0' };

const chosen = {
  'linux-x64': ['manylinux_2_31_x86_64', 'a88a3ed5', 'manylinux_2_17_x86_64', '383d71d8', 'helm-linux-amd64.so'],
  'linux-arm64': ['manylinux_2_31_aarch64', '55828002', 'manylinux_2_17_aarch64', 'b7246170', 'helm-linux-arm64.so'],
  'darwin-arm64': ['macosx_15_0_arm64', '985ac86c', 'macosx_11_0_arm64', 'eda21f14', 'helm-darwin-10.12-arm64.dylib'],
};

it.each([linux, { ...linux, arch: 'arm64', glibc: '2.31' }, mac])('$platform $arch gets its own tools', (machine) => {
  const platform = platformOf(machine);
  const ofWheel = ({ tag, sha256 }: { tag: string; sha256: string }) => [tag, sha256.slice(0, 8)];
  const { file } = libraries[platform];
  expect([...ofWheel(envoy.files[platform]), ...ofWheel(jdk.files[platform]), file]).toEqual(chosen[platform]);
});

it.each([
  ['freebsd on x64', { ...linux, platform: 'freebsd' }],
  ['win32 on x64', { ...linux, platform: 'win32' }],
  ['darwin on x64', { ...mac, arch: 'x64' }],
  ['Linux with glibc 2.28', { ...linux, glibc: '2.28' }],
  ['Linux with another C library than glibc', { ...linux, glibc: undefined }],
  ['a macOS before 15', { ...mac, release: '23.6.0' }],
])('%s is told where the store runs', (what, machine) => {
  expect(() => platformOf(machine)).toThrow(`There are no tools for ${what}: the local run works on Linux`);
});

it('this machine is one of them', () => {
  expect(platformOf()).toBe(`${process.platform}-${process.arch}`);
});

it('npm has every native package for each of them', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const native = new Map<string, Set<string>>();
  for (const [path, { os = [], cpu = [] }] of Object.entries<{ os?: string | string[]; cpu?: string | string[] }>(
    packages,
  )) {
    if (!os.length || !cpu.length) continue;
    // Node.js itself is published for Apple silicon under another name, `node-bin`.
    const family = path.replace(
      /(?:(?<=node_modules\/node)-bin)?-?(linux|darwin|win32|windows|android|freebsd|openbsd|netbsd|sunos|aix|openharmony).*/,
      '',
    );
    native.set(family, (native.get(family) ?? new Set()).add(`${[os].flat()[0]}-${[cpu].flat()[0]}`));
  }
  expect(native.size).toBeGreaterThan(5);
  for (const [family, machines] of native) {
    expect({ family, machines: [...machines] }).toEqual({
      family,
      machines: expect.arrayContaining(['linux-x64', 'linux-arm64', 'darwin-arm64']),
    });
  }
});
