import { useState } from 'preact/hooks';
import { call, sentenceOf } from '../api/call.ts';
import { Problem } from '../parts/parts.tsx';

export function Login({ onLogin }: { onLogin: (name: string) => void }) {
  const [token, setToken] = useState('');
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function logIn(event: Event) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    try {
      await call('post', '/session', { body: { token, name } });
      onLogin(name.trim());
    } catch (error) {
      setProblem(sentenceOf(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <main class="login">
      <form class="card" onSubmit={logIn}>
        <h1>Store console</h1>
        <label for="name">Your name</label>
        <input
          id="name"
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={80}
          autoComplete="name"
          required
        />
        <p class="note">It is logged with every change that you make.</p>
        <label for="token">Token</label>
        <input
          id="token"
          type="password"
          value={token}
          onInput={({ currentTarget }) => setToken(currentTarget.value)}
          autoComplete="current-password"
          required
        />
        <Problem text={problem} />
        <button type="submit" aria-disabled={busy}>
          Log in
        </button>
      </form>
    </main>
  );
}
