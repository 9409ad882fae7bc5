import { call } from '../api.js';
import { Problem } from '../parts.js';
import { html, useState } from '../vendor/preact.js';

export function Login({ onLogin }) {
  const [token, setToken] = useState('');
  const [name, setName] = useState('');
  const [problem, setProblem] = useState(undefined);
  const [busy, setBusy] = useState(false);

  async function logIn(event) {
    event.preventDefault();
    setBusy(true);
    try {
      await call('POST', '/session', { token, name });
      onLogin(name.trim());
    } catch (error) {
      setProblem(error.message);
    } finally {
      setBusy(false);
    }
  }

  return html`<main class="login">
    <form class="card" onSubmit=${logIn}>
      <h1>Store console</h1>
      <label for="name">Your name</label>
      <input id="name" value=${name} onInput=${({ target }) => setName(target.value)} maxlength="80" autocomplete="name" required />
      <p class="note">It is logged with every change that you make.</p>
      <label for="token">Token</label>
      <input id="token" type="password" value=${token} onInput=${({ target }) => setToken(target.value)} autocomplete="current-password" required />
      <${Problem} text=${problem} />
      <button type="submit" disabled=${busy}>Log in</button>
    </form>
  </main>`;
}
