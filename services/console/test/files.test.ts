import { testConsole } from './_console.ts';

let console: ReturnType<typeof testConsole>;

beforeAll(async () => {
  console = testConsole();
  await console.ready;
});

afterAll(() => console.close());

const get = (path: string, headers: Record<string, string> = {}) => console.http().get(path).set(headers);
/** Relative to /console/, as the page names them. */
const filesOf = (page: string) => [...page.matchAll(/(?:src|href)="\.(\/[^"]+)"/g)].map(([, path = '']) => path);

it('the page is asked for anew, and answered 304 while it is the same', async () => {
  const { headers, text } = await get('/').expect(200);
  expect(headers['cache-control']).toBe('no-cache');
  const again = await get('/', { 'If-None-Match': headers.etag ?? '' });
  expect([again.status, again.text]).toEqual([304, '']);
  expect(filesOf(text)).toEqual([
    expect.stringMatching(/^\/assets\/icon-[\w-]{8}\.svg$/),
    expect.stringMatching(/^\/assets\/index-[\w-]{8}\.js$/),
    expect.stringMatching(/^\/assets\/index-[\w-]{8}\.css$/),
  ]);
});

it.each(['br', 'gzip'])('its files are kept for ever, and sent in %s: less than 60 KB', async (encoding) => {
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
  expect(bytes).toBeLessThan(60_000);
});

it('the path without a slash leads to the page, which names its files relative to it', async () => {
  const { headers } = await get('').expect(302);
  expect(headers.location).toBe('/console/');
});

it.each(['/assets/', '/assets/none.js', '/assets/..%2findex.html', '/assets/%', '/.generated-from'])(
  '%s is not found',
  async (path) => {
    await get(path).expect(404);
  },
);
