/** Titles of the pages by the first part of their address, as the header lists them. Each has a picture in docs/images. */
export const titles = {
  now: 'Now',
  orders: 'Orders',
  'dead-letters': 'Dead letters',
  stock: 'Stock',
  mails: 'Mails',
  accounts: 'Accounts',
  audit: 'Audit',
};
export type PageName = keyof typeof titles;

export interface Place {
  /** Undefined if nothing is there. */
  page: PageName | undefined;
  id: string | undefined;
  filter: string | undefined;
  /** The same as names and values, where it has them. */
  query: URLSearchParams;
}

const isPage = (name: string): name is PageName => Object.hasOwn(titles, name);

/** Text of an address as it was before it was escaped, or as it is if somebody has written it by hand. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param hash `#/orders/<id>`, `#/dead-letters?<filter>`; an empty one is that of the first page */
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
