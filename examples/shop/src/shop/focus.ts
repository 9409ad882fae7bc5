import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { type Route, scrollOf } from './route.ts';

/**
 * Moves the focus to the headline of a new page, for the keyboard and screen readers; on the first page the browser decides. Scrolls
 * to the top, except in the catalogue, which returns to where it was left.
 */
export function useFocusOnNewPage(route: Route, accountId: string | undefined): void {
  const { path } = route;
  const at = `${accountId}/${path.join('/')}`;
  const before = useRef<string>(undefined);
  useLayoutEffect(() => {
    const headline = document.querySelector<HTMLElement>('h1');
    if (headline) document.title = `${headline.textContent} · Corner shop`;
    if (before.current !== undefined && before.current !== at) {
      headline?.focus({ preventScroll: true });
      scrollTo(0, path[0] === '' ? scrollOf() : 0);
    }
    if (headline) before.current = at;
  });
}

/** Moves the focus to the headline if the focused element disappears, such as a button that is no longer needed. */
export function useFocusStays(main: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let latest: Element | undefined;
    const note = ({ target }: FocusEvent) => {
      latest = target as Element;
    };
    const observer = new MutationObserver(() => {
      const { activeElement: current, body } = document;
      // An element in a closing dialog keeps the focus until the next frame.
      const isLost = current === body || !current?.checkVisibility();
      if (!isLost || !latest || latest.checkVisibility()) return;
      latest = undefined;
      document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
    });
    document.addEventListener('focusin', note);
    observer.observe(main.current as HTMLElement, { childList: true, subtree: true, attributeFilter: ['open'] });
    return () => {
      document.removeEventListener('focusin', note);
      observer.disconnect();
    };
  }, []);
}
