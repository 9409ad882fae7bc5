import type { ComponentChild } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { call } from './api/call.ts';
import { queries } from './api/queries.ts';
import { Accounts } from './views/accounts.tsx';
import { Changes } from './views/changes.tsx';
import { DeadLetters } from './views/dead-letters.tsx';
import { Login } from './views/login.tsx';
import { Mails } from './views/mails.tsx';
import { Now } from './views/now.tsx';
import { Orders } from './views/orders.tsx';
import { Stock } from './views/stock.tsx';

interface Place {
  id: string | undefined;
  filter: string | undefined;
}
const pages = {
  now: { title: 'Now', show: () => <Now /> },
  orders: { title: 'Orders', show: ({ id }) => <Orders id={id} /> },
  'dead-letters': { title: 'Dead letters', show: ({ filter }) => <DeadLetters filter={filter} key={filter} /> },
  stock: { title: 'Stock', show: () => <Stock /> },
  mails: { title: 'Mails', show: ({ id }) => <Mails id={id} /> },
  accounts: { title: 'Accounts', show: () => <Accounts /> },
  audit: { title: 'Audit', show: () => <Changes /> },
} satisfies Record<string, { title: string; show: (place: Place) => ComponentChild }>;

/** `#/orders/<id>`, `#/dead-letters?<filter>` */
function placeOf(hash: string) {
  const [path = '', filter] = hash.replace(/^#\//, '').split('?');
  const [name = '', id] = path.split('/');
  const page = Object.hasOwn(pages, name) ? (name as keyof typeof pages) : 'now';
  return { page, id, filter: filter && decodeURIComponent(filter) };
}

export function App() {
  const [name, setName] = useState<string | null>(); // null: nobody is logged in
  const [place, setPlace] = useState(placeOf(location.hash));

  useEffect(() => {
    const end = () => setName(null);
    const move = () => {
      setPlace(placeOf(location.hash));
      document.querySelector('main')?.focus();
    };
    addEventListener('session-ended', end);
    addEventListener('hashchange', move);
    call('get', '/session', {}).then((session) => setName(session.name), end);
    return () => {
      removeEventListener('session-ended', end);
      removeEventListener('hashchange', move);
    };
  }, []);
  // The next one here may be somebody else.
  useEffect(() => {
    if (name === null) queries.clear();
  }, [name]);
  // The element that had the focus is gone with the login.
  useLayoutEffect(() => {
    if (name) document.querySelector('main')?.focus();
  }, [name]);
  useEffect(() => {
    document.title = `${pages[place.page].title} – Store console`;
  }, [place.page]);

  if (name === undefined) return null;
  if (name === null) return <Login onLogin={setName} />;
  const leave = () => call('delete', '/session', {}).finally(() => setName(null));
  return (
    <>
      <header>
        <strong>Store console</strong>
        <nav aria-label="Pages">
          {Object.entries(pages).map(([key, { title }]) => (
            <a key={key} href={`#/${key}`} aria-current={place.page === key ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <span class="who">{name}</span>
        <button type="button" class="quiet" onClick={leave}>
          Log out
        </button>
      </header>
      <main tabIndex={-1}>{pages[place.page].show(place)}</main>
    </>
  );
}
