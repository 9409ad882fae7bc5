import { useEffect, useState } from 'preact/hooks';

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

export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    const follow = () => setRoute(currentRoute());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

export function goTo(path: string): void {
  location.hash = `#/${path}`;
}

/** Changes the address without a new entry in the history. */
export function noteQuery(path: string, query: Record<string, string>): void {
  const given = Object.entries(query).filter(([, value]) => value);
  const text = new URLSearchParams(given).toString();
  history.replaceState(null, '', `#/${path}${text && `?${text}`}`);
}
