import { call } from './api.js';
import { DeadLetters } from './pages/dead-letters.js';
import { Login } from './pages/login.js';
import { Now } from './pages/now.js';
import { Orders } from './pages/orders.js';
import { Stock } from './pages/stock.js';
import { html, render, useEffect, useState } from './vendor/preact.js';

const pages = { now: 'Now', orders: 'Orders', 'dead-letters': 'Dead letters', stock: 'Stock' };

/** `#/orders/<id>`, `#/dead-letters?<filter>` */
function placeOf(hash) {
  const [path, filter] = hash.replace(/^#\//, '').split('?');
  const [name, id] = path.split('/');
  return { page: name in pages ? name : 'now', id, filter: filter && decodeURIComponent(filter) };
}

function App() {
  const [name, setName] = useState(undefined); // null: nobody is logged in
  const [place, setPlace] = useState(placeOf(location.hash));

  useEffect(() => {
    const end = () => setName(null);
    const move = () => {
      setPlace(placeOf(location.hash));
      document.querySelector('main')?.focus();
    };
    addEventListener('session-ended', end);
    addEventListener('hashchange', move);
    call('GET', '/session').then((session) => setName(session.name), end);
    return () => {
      removeEventListener('session-ended', end);
      removeEventListener('hashchange', move);
    };
  }, []);
  useEffect(() => {
    document.title = `${pages[place.page]} – Store console`;
  }, [place.page]);

  if (name === undefined) return null;
  if (name === null) return html`<${Login} onLogin=${setName} />`;
  const leave = () => call('DELETE', '/session').finally(() => setName(null));
  return html`<header>
      <strong>Store console</strong>
      <nav aria-label="Pages">
        ${Object.entries(pages).map(
          ([key, title]) =>
            html`<a href=${`#/${key}`} aria-current=${place.page === key ? 'page' : undefined}>${title}</a>`,
        )}
      </nav>
      <span class="who">${name}</span>
      <button type="button" class="quiet" onClick=${leave}>Log out</button>
    </header>
    <main tabindex="-1">
      ${place.page === 'now' && html`<${Now} />`}
      ${place.page === 'orders' && html`<${Orders} id=${place.id} />`}
      ${place.page === 'dead-letters' && html`<${DeadLetters} filter=${place.filter} key=${place.filter} />`}
      ${place.page === 'stock' && html`<${Stock} />`}
    </main>`;
}

render(html`<${App} />`, document.getElementById('app'));
