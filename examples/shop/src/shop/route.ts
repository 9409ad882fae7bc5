import { useEffect, useRef, useState } from 'preact/hooks';

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

/** How far each page was scrolled when it was left, by its path. */
const places = new Map<string, number>();
export const placeOf = ({ path }: Route): number => places.get(path.join('/')) ?? 0;
export const notePlace = ({ path }: Route): unknown => places.set(path.join('/'), scrollY);

/** The hash of the route that is shown. Another one means that a change is on its way. */
let followed = location.hash;

export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  const latest = useRef(route);
  latest.current = route;
  useEffect(() => {
    // The browser would scroll before the page is there.
    history.scrollRestoration = 'manual';
    const follow = () => {
      notePlace(latest.current);
      followed = location.hash;
      setRoute(currentRoute());
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

export function goTo(path: string): void {
  location.hash = `#/${path}`;
}

/** The address of the catalogue with one category alone. */
export const categoryPath = (category: string): string => `#/?${new URLSearchParams({ category })}`;

/** Changes the address without a new entry in the history, unless the customer has just gone to another page. */
export function noteQuery(path: string, query: Record<string, string>): void {
  if (location.hash !== followed) return;
  const given = Object.entries(query).filter(([, value]) => value);
  const text = new URLSearchParams(given).toString();
  history.replaceState(null, '', `#/${path}${text && `?${text}`}`);
  followed = location.hash;
}
