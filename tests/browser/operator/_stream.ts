import type { Page, Request } from 'playwright-core';

interface Closing {
  /** By performance.now(). */
  at: number;
  /** True if the service closed the stream, false if it died. */
  isOrderly: boolean;
}

export interface Stream {
  isOpen(): boolean;
  /** The last time a stream closed. */
  closing(): Closing;
}

/** The client aborts a connection whose events have ended. */
const givenUp = 'net::ERR_ABORTED';

/** Watches the stream of order events that a page opens from now on. */
export function watchStream(page: Page): Stream {
  let open: Request | undefined;
  let closing: Closing = { at: 0, isOrderly: false };
  page.on('response', (answer) => {
    if (answer.ok() && new URL(answer.url()).pathname === '/orders/events') open = answer.request();
  });
  const closed = (request: Request, isOrderly: boolean) => {
    if (request !== open) return;
    open = undefined;
    closing = { at: performance.now(), isOrderly };
  };
  page.on('requestfinished', (request) => closed(request, true));
  page.on('requestfailed', (request) => closed(request, request.failure()?.errorText === givenUp));
  return { isOpen: () => open !== undefined, closing: () => closing };
}
