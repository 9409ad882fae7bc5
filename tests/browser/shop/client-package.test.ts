import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { root } from '../../../tools/paths.ts';
import { sharedStore } from '../../e2e/_shared-store.ts';
import { until } from '../../e2e/_store.ts';
import { usePages } from '../../kit/chromium.ts';
import { useFolder } from '../../kit/folder.ts';
import { clientExample, installClient } from '../../kit/packed-client.ts';

const folder = useFolder();

// A third-party page, from another origin, as in the client's README.
describe('the client package, in a page served by Vite', () => {
  const stops: (() => unknown)[] = [];
  const store = sharedStore();
  const port = store.pages.other;
  const open = usePages();

  beforeAll(async () => {
    await installClient(folder);
    const example = clientExample.replace('http://localhost:8080', `http://localhost:${store.ports.of('gateway')}`);
    await writeFile(join(folder, 'main.js'), example);
    await writeFile(join(folder, 'index.html'), '<script type="module" src="/main.js"></script>');
    const vite = execa('node', [join(root, 'node_modules/vite/bin/vite.js'), '--port', String(port), '--strictPort'], {
      cwd: folder,
      env: { NODE_OPTIONS: '' },
      reject: false,
    });
    stops.push(() => {
      vite.kill();
      return vite;
    });
    await until('the page is served', async () => {
      const page = await fetch(`http://localhost:${port}`).catch(() => undefined);
      return page?.ok === true;
    });
  }, 180_000);

  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  }, 60_000);

  /** Returns the first line that the page logs, or its error. */
  async function firstWords(): Promise<string> {
    const page = await open();
    const said: string[] = [];
    page.on('console', (message) => message.type() === 'log' && said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    await page.goto(`http://localhost:${port}`);
    await until('the page has logged something', async () => said.length > 0);
    return said.join('\n');
  }

  it('runs the example in its README as printed', async () => {
    expect(await firstWords()).toBe('PENDING {amount: 8.5, currency: USD}');
  });
});
