import type { Page } from 'playwright-core';
import { createHistory, everyMs } from '../src/watch/history.ts';
import { samplesIn } from '../src/watch/replicas-client.ts';
import { describePages, logIn, useConsole } from './_console.ts';

describe('the files of the pages', () => {
  const console = useConsole();
  const get = (path: string, headers: Record<string, string> = {}) => console.http().get(path).set(headers);
  /** Relative to /console/, as the page refers to them. */
  const filesOf = (page: string) => [...page.matchAll(/(?:src|href)="\.(\/[^"]+)"/g)].map(([, path = '']) => path);

  it('include a page that is revalidated, with 304 while it is unchanged', async () => {
    await get('').expect('Location', '/console/');
    const { headers, text } = await get('/').expect('Cache-Control', 'no-cache');
    const again = await get('/', { 'If-None-Match': headers.etag ?? '' });
    expect([again.status, again.text]).toEqual([304, '']);
    const files = filesOf(text).map((file) => file.replace(/-[\w-]{8}\./, '.'));
    expect(files).toEqual(['/assets/icon.svg', '/assets/index.js', '/assets/index.css']);
  });

  it.each(['br', 'gzip'])('are cached forever, and take less than 70 KB in %s', async (encoding) => {
    const { text } = await get('/');
    let bytes = text.length;
    for (const path of filesOf(text)) {
      const { headers } = await get(path, { 'Accept-Encoding': encoding }).expect(200);
      expect(headers).toMatchObject({
        'cache-control': 'private, max-age=31536000, immutable',
        'content-encoding': encoding,
        'content-security-policy': expect.stringContaining("script-src 'self'"),
        vary: 'Accept-Encoding',
      });
      bytes += Number(headers['content-length']);
    }
    expect(bytes).toBeLessThan(70_000);
  });

  it.each(['/assets/', '/assets/none.js', '/assets/..%2findex.html', '/assets/%', '/.generated-from'])(
    'are not found at %s',
    async (path) => {
      await get(path).expect(404);
    },
  );
});

const names = ['auth', 'account', 'product', 'order', 'order-worker', 'inventory', 'payment', 'status', 'console'];
const groups = ['order', 'inventory', 'payment', 'notification', 'invoice', 'status', 'analytics'];
const metrics = [
  'outbox_oldest_unsent_seconds 2.345',
  ...groups.map((name) => `consumer_lag_messages{group="${name}-group",partition="0"} 12345`),
].join('\n');
/** Metrics of every service of the store, each with one replica. */
const replicas = names.map((service) => ({
  service,
  address: `10.1.2.3:80${service.length}`,
  state: 'UP' as const,
  waitingFor: [],
  samples: samplesIn(metrics),
}));

describePages('a tab of the console transfers', (open) => {
  const history = createHistory();
  const console = useConsole(undefined, { history });
  let now = Date.now() - 180 * everyMs;
  const look = () => {
    now += everyMs;
    history.add(now, replicas);
  };

  beforeAll(() => {
    for (let count = 0; count < 180; count += 1) look();
  });

  /** Counts answers including their headers, as transferred. */
  async function meter(of: Page, isCounted: (path: string) => boolean) {
    const counted = { requests: 0, bytes: 0 };
    const cdp = await of.context().newCDPSession(of);
    const ids = new Set<string>();
    await cdp.send('Network.enable');
    cdp.on('Network.requestWillBeSent', ({ requestId, request }) => {
      if (isCounted(new URL(request.url).pathname)) ids.add(requestId);
    });
    cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      // Cached answers are not transferred.
      if (!ids.delete(requestId) || encodedDataLength === 0) return;
      counted.requests += 1;
      counted.bytes += encodedDataLength;
    });
    return counted;
  }
  const isFile = (path: string) => !/\/(api\/|session$)/.test(path);

  it('files once, and then only a check whether the page has changed', async () => {
    const page = await open();
    const first = await meter(page, isFile);
    await logIn(page, console);
    await page.getByText('processes are ready').waitFor();
    expect(first.requests).toBeLessThanOrEqual(4);
    expect(first.bytes).toBeLessThan(90_000);

    const again = await page.context().newPage();
    const second = await meter(again, isFile);
    await again.goto(`${console.origin}/console/`);
    await again.getByText('processes are ready').waitFor();
    expect(second.requests).toBeLessThanOrEqual(1);
    expect(second.bytes).toBeLessThan(1_000);
  });

  it('at most 2 MB an hour, and nothing while it is hidden', async () => {
    const page = await open();
    await page.clock.install();
    await logIn(page, console);
    await page.getByText('processes are ready').waitFor();
    const counted = await meter(page, (path) => path.includes('/api/'));
    const minutes = 2;
    for (let seconds = 0; seconds < minutes * 60; seconds += everyMs / 1_000) {
      look();
      const answered = page.waitForResponse(/api\/now/);
      await page.clock.runFor(everyMs);
      await (await answered).finished();
    }
    const hourly = (counted.bytes * 60) / minutes;
    expect(counted.requests).toBeGreaterThanOrEqual((minutes * 60_000) / everyMs - 1);
    expect(hourly).toBeLessThan(2_000_000);

    const turn = (hidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${hidden ? 'hidden' : 'visible'}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
    await turn(true);
    const before = counted.requests;
    await page.clock.runFor(10 * 60_000);
    look();
    const asked = page.waitForRequest(/api\/now/);
    await turn(false);
    expect((await asked).url()).toContain(`after=${now - everyMs}`);
    expect(counted.requests - before).toBeLessThanOrEqual(1);
  });
});
