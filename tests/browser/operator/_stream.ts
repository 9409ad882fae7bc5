import type { Page, Request } from 'playwright-core';

export interface Stream {
  isOpen(): boolean;
  /** When it was closed the last time, by performance.now(). */
  closedAt(): number;
}

/** The stream of order events of a page that is opened from now on. */
export function watchStream(page: Page): Stream {
  let open: Request | undefined;
  let closedAt = 0;
  page.on('response', (answer) => {
    if (answer.ok() && new URL(answer.url()).pathname === '/orders/events') open = answer.request();
  });
  const close = (request: Request) => {
    if (request !== open) return;
    open = undefined;
    closedAt = performance.now();
  };
  page.on('requestfinished', close);
  page.on('requestfailed', close);
  return { isOpen: () => open !== undefined, closedAt: () => closedAt };
}
