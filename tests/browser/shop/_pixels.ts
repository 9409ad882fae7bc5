import type { Page } from 'playwright-core';

export interface Point {
  x: number;
  y: number;
}

/** The colours of a page at points of its window, such as `0,0,0`. */
export async function coloursAt(page: Page, points: readonly Point[]): Promise<string[]> {
  const picture = await page.screenshot({ animations: 'disabled' });
  const reader = await page.context().newPage(); // the shop's policy allows no images from elsewhere
  try {
    return (await reader.evaluate(`(async () => {
      const image = new Image();
      image.src = 'data:image/png;base64,${picture.toString('base64')}';
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
      canvas.drawImage(image, 0, 0);
      return ${JSON.stringify(points)}.map(({ x, y }) => [...canvas.getImageData(x, y, 1, 1).data].slice(0, 3).join());
    })()`)) as string[];
  } finally {
    await reader.close();
  }
}
