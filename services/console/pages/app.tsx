import type { ComponentChild } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { type AnswerTo, call } from './api/call.ts';
import { queries } from './api/queries.ts';
import { type PageName, type Place, placeOf, titles } from './pages.ts';
import { Loading } from './parts/parts.tsx';
import { Accounts } from './views/accounts.tsx';
import { Books } from './views/books.tsx';
import { Changes } from './views/changes.tsx';
import { DeadLetters } from './views/dead-letters.tsx';
import { Login } from './views/login.tsx';
import { Mails } from './views/mails.tsx';
import { Now } from './views/now.tsx';
import { Orders } from './views/orders.tsx';
import { Stock } from './views/stock.tsx';

const shown: Record<PageName, (place: Place) => ComponentChild> = {
  now: () => <Now />,
  orders: ({ id, query }) => <Orders id={id} query={query} />,
  'dead-letters': ({ filter }) => <DeadLetters filter={filter} key={filter} />,
  stock: ({ id, query }) => <Stock id={id} query={query} />,
  books: ({ id }) => <Books order={id} />,
  mails: ({ id }) => <Mails id={id} />,
  accounts: ({ id, filter }) => <Accounts id={id} sought={filter} />,
  audit: ({ query }) => <Changes query={query} />,
};

const focusMain = () => document.querySelector('main')?.focus();

const nobody = { name: null, isShared: false };

const Nowhere = () => (
  <>
    <h1>No such page</h1>
    <p>
      The console has nothing at this address. <a href="#/now">Go to the page Now</a>
    </p>
  </>
);

export function App() {
  const [session, setSession] = useState<AnswerTo<'getSession'>>();
  const [place, setPlace] = useState(placeOf(location.hash));

  /** Shows the login even if auth does not answer, since the shared token still works. */
  const begin = () => call('get', '/session', {}).then(setSession, () => setSession(nobody));

  // Not in useEffect, which listens a frame later and misses an address that changes before.
  useLayoutEffect(() => {
    const move = () => {
      setPlace(placeOf(location.hash));
      // A field outside a form filters while someone types in it.
      if (!document.activeElement?.matches(':is(input, select):not(form *)')) focusMain();
    };
    // Asks again, since the answer may be a late one to a request of the session before.
    addEventListener('session-ended', begin);
    addEventListener('hashchange', move);
    begin();
    return () => {
      removeEventListener('session-ended', begin);
      removeEventListener('hashchange', move);
    };
  }, []);
  // The next person here may be someone else.
  const name = session?.name;
  useEffect(() => {
    if (name === null) queries.clear();
  }, [name]);
  // The login, which had the focus, is gone.
  useLayoutEffect(() => {
    if (name) focusMain();
  }, [name]);
  useEffect(() => {
    document.title = `${place.page === undefined ? 'No such page' : titles[place.page]} – Store console`;
  }, [place.page]);

  if (session === undefined) return <Loading />;
  if (session.name === null) return <Login onLogin={begin} />;
  const leave = () => call('delete', '/session', {}).finally(() => setSession(nobody));
  return (
    <>
      <header>
        <strong>Store console</strong>
        <nav aria-label="Pages">
          {Object.entries(titles).map(([key, title]) => (
            <a key={key} href={`#/${key}`} aria-current={place.page === key ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <span class="who">
          <bdi>{name}</bdi> {session.isShared && <span class="badge wait">shared token</span>}
        </span>
        <button type="button" class="quiet" onClick={leave}>
          Log out
        </button>
      </header>
      <main tabIndex={-1}>{place.page === undefined ? <Nowhere /> : shown[place.page](place)}</main>
    </>
  );
}
