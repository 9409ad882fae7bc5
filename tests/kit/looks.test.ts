import { chromiumPath, usePages } from './chromium.ts';
import { lookAt, looks } from './looks.ts';

(chromiumPath ? describe : describe.skip)('a look at a page', () => {
  const open = usePages();
  /** The flaws found on a page with this body, in some looks. */
  async function flawsWith(body: string, suffix?: string): Promise<string[]> {
    const page = await open();
    await page.setContent(
      `<html lang="en"><title>A page</title><main style="font: 16px serif"><h1>Look</h1>${body}</main></html>`,
    );
    return lookAt(
      page,
      'a-look',
      looks.filter((look) => suffix === undefined || look.suffix === suffix),
    );
  }

  it('finds nothing if nothing is wrong', async () => {
    const scrolled = '<pre tabindex="0" style="height: 3em; overflow: auto">a\nb\nc\nd\ne\nf</pre><p>below</p>';
    expect(await flawsWith(`<p>Two lines<br>of text</p>${scrolled}`)).toEqual([]);
  });

  it.each([
    [
      'a text that is too long',
      `<p>${'W'.repeat(60)}</p>`,
      'a-look-narrow: “WWWWWWWWWWWWWWWWWWWWWWWWWWWWWW” is cut off',
    ],
    [
      'content that makes the page wider than the screen',
      '<div style="width: 700px; height: 9px"></div>',
      'a-look-narrow: is wider than the screen',
    ],
    [
      'text cut off by a box',
      '<p style="width: 3em; overflow: hidden; white-space: nowrap">A text</p><p style="width: 1em; overflow: hidden; white-space: nowrap">Another text</p>',
      'a-look: “Another text” is cut off',
    ],
    ['overlapping texts', '<p>One</p><p style="margin-top: -35px">Two</p>', 'a-look: “One” and “Two” overlap'],
    [
      'text squeezed into a column of letters',
      '<p style="width: 1em; overflow-wrap: anywhere">Column</p>',
      'a-look-narrow-dark: “Column” has no room',
    ],
    [
      'a colour that is unreadable in dark mode',
      '<style>@media (prefers-color-scheme: dark) { p { color: #eee } }</style><p>Text</p>',
      'a-look-dark: color-contrast: <p>Text</p>',
    ],
  ])('finds %s', async (_, body, flaw) => {
    const [, suffix = ''] = /^a-look([a-z-]*):/.exec(flaw) ?? [];
    expect(await flawsWith(body, suffix)).toContain(flaw);
  });
});
