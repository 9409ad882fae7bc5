import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { parse } from 'yaml';
import { useConsole } from '../../services/console/test/_console.ts';
import { root } from '../../tools/paths.ts';
import { chromiumPath, usePages } from '../kit/chromium.ts';
import { read } from '../kit/read.ts';

const { paths } = parse(read('docs/openapi.yaml'));
const operations = Object.values<Record<string, { operationId: string; summary: string }>>(paths).flatMap((methods) =>
  Object.values(methods),
);

const inDev = useConsole(undefined, { env: { APP_PROFILE: 'dev' } });
const inProd = useConsole(undefined, { env: { APP_PROFILE: 'prod', INTERNAL_CREDENTIAL: 'x'.repeat(43) } });

beforeAll(async () => {
  await execa('node', ['tools/api/reference.ts'], { cwd: root, env: { NODE_OPTIONS: '' } });
}, 60_000);

describe('the console', () => {
  it('serves the API reference in profile dev, with a policy that only allows its own scripts', async () => {
    const { status, headers } = await inDev.http().get('/reference/');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; (?!.*(connect|https?))/,
    );
  });

  it('serves no API reference in profile prod', async () => {
    expect((await inProd.http().get('/reference/')).status).toBe(404);
  });
});

(chromiumPath ? describe : describe.skip)('docs/reference', () => {
  const open = usePages();

  it.each([
    ['from the console', () => `${inDev.origin}/console/reference/`],
    ['from a checkout', () => pathToFileURL(join(root, 'docs/reference/index.html')).href],
  ])('%s shows every operation of docs/openapi.yaml, and sends no request elsewhere', async (_, url) => {
    const page = await open();
    page.setDefaultTimeout(100_000); // rendering takes seconds of CPU time, which other tests also need
    const complaints: string[] = [];
    const asked: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(url());
    for (const { operationId } of operations)
      await page.locator(`[data-section-id$="operation/${operationId}"]`).first().waitFor();
    const text = (await page.locator('#reference').textContent()) ?? '';
    expect(operations.map(({ summary }) => summary).filter((summary) => !text.includes(summary))).toEqual([]);
    await page.getByPlaceholder('Search...').fill('cancellation');
    await page.getByRole('menuitem').filter({ hasText: 'Fetch the cancellation of an order' }).first().waitFor();
    expect(complaints).toEqual([]);
    const own = new URL('.', url()).href;
    expect(asked.filter((address) => !address.startsWith(own) && !/^(data|blob):/.test(address))).toEqual([]);
  });
});
