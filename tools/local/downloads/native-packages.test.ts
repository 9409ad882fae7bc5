import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../paths.ts';

it('npm has every native package for each machine of the local run', () => {
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
