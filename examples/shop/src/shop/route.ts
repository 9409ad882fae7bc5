import { useLayoutEffect, useState } from 'preact/hooks';
import { keep, stored } from './storage.ts';

export interface Route {
  /** Such as `['orders', '<id>']`; for the catalogue `['']`. */
  path: string[];
  query: URLSearchParams;
}

// In the hash, so that any static server can serve the page.
function currentRoute(): Route {
  const [path = '', query] = location.hash.replace(/^#\/?/, '').split('?');
  return { path: path.split('/'), query: new URLSearchParams(query) };
}

/** Scroll position of each page when it was left, by hash. */
const scrolled = new Map<string, number>();
const nameOf = (hash: string) => hash.replace(/^#\/?/, '');
/** Returns the scroll position that the page of the address had when it was left. */
export const scrollOf = (): number => scrolled.get(nameOf(location.hash)) ?? 0;
/** Records the scroll position of the shown page. */
export const noteScroll = (): unknown => scrolled.set(nameOf(followed), scrollY);

/** The hash of the shown route. If the address has a different hash, a change of page is in progress. */
let followed = location.hash;

/** Paths of the pages to which a login returns. */
const paths = /^(products\/[^/]+|basket|orders(\/[^/]+(\/invoice|\/credit-notes\/\d+)?)?|account)?\/?$/;
export const isPlace = ({ path }: Route): boolean => paths.test(path.join('/'));
const lastName = 'shop.last-page';

/** Returns the hash of the page before the login page, even across reloads; the catalogue's if there is none. */
export const lastPage = (): string => stored(lastName, '#/', 'tab');
export const forgetLastPage = (): void => keep(lastName, '#/', 'tab');

function follow(hash: string): void {
  followed = hash;
  if (isPlace(currentRoute())) keep(lastName, hash, 'tab');
}

export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  // Not in useEffect, which listens a frame later and misses an address that changes before.
  useLayoutEffect(() => {
    follow(location.hash);
    // The browser would scroll before the page is rendered.
    history.scrollRestoration = 'manual';
    const change = () => {
      noteScroll();
      follow(location.hash);
      setRoute(currentRoute());
    };
    addEventListener('hashchange', change);
    return () => removeEventListener('hashchange', change);
  }, []);
  return route;
}

export function goTo(path: string): void {
  location.hash = `#/${path}`;
}

/** Returns an address such as `#/products/<id>?q=tea`. @param query parameters without a value are left out */
export function addressOf(path: string, query: Record<string, string>): string {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value)).toString();
  return `#/${path}${text && `?${text}`}`;
}

/** Changes the address without a new entry in the history, unless the customer has just gone to another page. */
export function noteQuery(path: string, query: Record<string, string>): void {
  if (location.hash !== followed) return;
  const hash = addressOf(path, query);
  if (hash !== location.hash) history.replaceState(null, '', hash);
  follow(location.hash);
}
