/** Titles of the pages by the first part of their address, in the order of the header. Each has a picture in docs/images. */
export const titles = {
  now: 'Now',
  orders: 'Orders',
  'dead-letters': 'Dead letters',
  stock: 'Stock',
  books: 'Books',
  mails: 'Mails',
  accounts: 'Accounts',
  audit: 'Audit',
};
export type PageName = keyof typeof titles;

export interface Place {
  /** Undefined if there is no such page. */
  page: PageName | undefined;
  id: string | undefined;
  filter: string | undefined;
  /** The filter, parsed as names and values. */
  query: URLSearchParams;
}

const isPage = (name: string): name is PageName => Object.hasOwn(titles, name);

/** Unescapes a part of an address; returns it unchanged if it cannot be decoded, as when typed by hand. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param hash `#/orders/<id>`, `#/dead-letters?<filter>`; an empty one leads to the first page */
export function placeOf(hash: string): Place {
  const [path = '', filter] = hash.replace(/^#?\/?/, '').split('?');
  const [name = '', id, ...rest] = path.split('/');
  const page = name === '' ? 'now' : name;
  return {
    page: isPage(page) && rest.length === 0 ? page : undefined,
    id: id ? unescaped(id) : undefined,
    filter: filter && unescaped(filter),
    query: new URLSearchParams(filter),
  };
}

/** Returns the address of a page with filters. @param filters trimmed; empty ones are left out */
export function addressOf(page: string, filters: Record<string, string>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value.trim() !== '') query.set(name, value.trim());
  return query.size === 0 ? `#/${page}` : `#/${page}?${query}`;
}
