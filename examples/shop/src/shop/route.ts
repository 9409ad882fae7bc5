import { useEffect, useState } from 'preact/hooks';
import { keep, kept } from './kept.ts';

export interface Route {
  /** Such as `['orders', '<id>']`; of the catalogue `['']`. */
  path: string[];
  query: URLSearchParams;
}

// In the hash, so that any static server can serve the page.
function currentRoute(): Route {
  const [path = '', query] = location.hash.replace(/^#\/?/, '').split('?');
  return { path: path.split('/'), query: new URLSearchParams(query) };
}

/** How far each page was scrolled when it was left, by its hash. */
const scrolled = new Map<string, number>();
const nameOf = (hash: string) => hash.replace(/^#\/?/, '');
/** Returns how far the page was scrolled that the address names. */
export const scrollOf = (): number => scrolled.get(nameOf(location.hash)) ?? 0;
/** Keeps how far the page is scrolled that is shown. */
export const noteScroll = (): unknown => scrolled.set(nameOf(followed), scrollY);

/** The hash of the route that is shown. Another one means that a change is on its way. */
let followed = location.hash;

/** Paths of the pages to be at, and to come back to after a login. */
const paths = /^(products\/[^/]+|basket|orders(\/[^/]+(\/invoice)?)?|account)?\/?$/;
export const isPlace = ({ path }: Route): boolean => paths.test(path.join('/'));
const lastName = 'shop.last-page';

/** Returns the hash of the page that was shown before the one to log in, also before a reload; that of the catalogue if there is none. */
export const lastPage = (): string => kept(lastName, '#/', 'tab');
export const forgetLastPage = (): void => keep(lastName, '#/', 'tab');

function follow(hash: string): void {
  followed = hash;
  if (isPlace(currentRoute())) keep(lastName, hash, 'tab');
}

export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    follow(location.hash);
    // The browser would scroll before the page is there.
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

/** Such as `#/products/<id>?q=tea`. @param query parameters without a value are left out */
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
