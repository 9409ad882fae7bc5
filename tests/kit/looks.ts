import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../../tools/paths.ts';
import { findings } from './axe.ts';
import { isWiderThanScreen } from './page-width.ts';

/** The screens and colour schemes in which pages are checked, with the suffixes of their screenshots. */
export const looks = [
  { suffix: '', width: 1_280, colorScheme: 'light' },
  { suffix: '-dark', width: 1_280, colorScheme: 'dark' },
  { suffix: '-narrow', width: 360, colorScheme: 'light' },
  { suffix: '-narrow-dark', width: 360, colorScheme: 'dark' },
] as const;
export type Look = (typeof looks)[number];
const height = 780;

/** Screenshots of what a test saw. */
const folder = join(root, '.cache/pictures');

/** Texts for screen readers only, and texts that the browser itself lets users see in full. */
const unseen = '.unseen, .skip, [aria-hidden], option, legend, canvas';

/**
 * For page.evaluate(): the flaws of visible texts. A text is flawed if the screen or its container cuts it off, if it overlaps another
 * text, or if it has so little room that it becomes a column of letters.
 */
const flawedTexts = `(() => {
  const dialog = document.querySelector('dialog[open]');
  const walker = document.createTreeWalker(dialog ?? document.body, NodeFilter.SHOW_TEXT);
  const flaws = new Set();
  const lines = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const around = node.parentElement;
    const text = node.textContent.trim();
    if (text === '' || !around.checkVisibility({ visibilityProperty: true }) || around.closest('${unseen}')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
    const name = '“' + text.slice(0, 30) + '”';
    const words = text.split(/\\s+/).length;
    if (rects.length > words && text.length / rects.length < 4) flaws.add(name + ' has no room');
    for (const { left, right, top, bottom } of rects) {
      let isCut = left < -1 || right > document.documentElement.clientWidth + 1;
      let isHidden = false;
      for (let box = around; box; box = box.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(box);
        const edge = box.getBoundingClientRect();
        if (overflowX !== 'visible' && (left < edge.left - 1 || right > edge.right + 1)) isCut = true;
        if (overflowY !== 'visible' && (bottom > edge.bottom + 1 || top < edge.top - 1)) isHidden = true;
        if (overflowY === 'hidden' && isHidden) isCut = true;
      }
      if (isCut) flaws.add(name + ' is cut off');
      // Letters do not fill the height of their line.
      const slack = (bottom - top) / 4;
      if (!isHidden) lines.push({ name, around, left, right, top: top + slack, bottom: bottom - slack });
    }
  }
  const isAbove = (element) => {
    for (let box = element; box; box = box.parentElement)
      if (['fixed', 'sticky'].includes(getComputedStyle(box).position)) return true;
    return false;
  };
  for (const [index, a] of lines.entries())
    for (const b of lines.slice(index + 1)) {
      const isOver = a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom && b.top < a.bottom;
      if (isOver && isAbove(a.around) === isAbove(b.around)) flaws.add(a.name + ' and ' + b.name + ' overlap');
    }
  return [...flaws];
})()`;

/** For page.evaluate(): waits until elements that follow the screen size, such as charts, have been resized. */
const settled =
  'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))';

/** Returns the flaws of the page as it is now: its width, its texts, and what axe finds. */
async function flawsOf(page: Page): Promise<string[]> {
  const isTooWide = await page.evaluate(isWiderThanScreen);
  const texts = (await page.evaluate(flawedTexts)) as string[];
  return [...(isTooWide ? ['is wider than the screen'] : []), ...texts, ...(await findings(page))];
}

/**
 * Checks a page on a wide and a narrow screen, light and dark, and saves a screenshot of each.
 * @param name of the page and of its screenshots in .cache/pictures
 * @returns the flaws, such as `orders-narrow: “Total” is cut off`
 */
export async function lookAt(page: Page, name: string, at: readonly Look[] = looks): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const flaws: string[] = [];
  for (const { suffix, width, colorScheme } of at) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.evaluate(settled);
    for (const flaw of await flawsOf(page)) flaws.push(`${name}${suffix}: ${flaw}`);
    await page.screenshot({ path: join(folder, `${name}${suffix}.png`), fullPage: true, animations: 'disabled' });
  }
  return flaws;
}
