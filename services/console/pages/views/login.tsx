import type { TargetedSubmitEvent } from 'preact';
import { useActs } from '../api/acts.ts';
import { call } from '../api/call.ts';
import { atMost, Field, textsOf } from '../parts/form.tsx';
import { Outcome } from '../parts/parts.tsx';

export function Login({ onLogin }: { onLogin: (name: string) => void }) {
  const { act, said, busy } = useActs();

  function logIn(event: TargetedSubmitEvent<HTMLFormElement>) {
    const { name = '', token = '' } = textsOf(event);
    if (busy) return;
    act(async () => {
      await call('post', '/session', { body: { token, name } });
      onLogin(name.trim());
    });
  }

  return (
    <main class="login">
      <form class="card" onSubmit={logIn}>
        <h1>Store console</h1>
        <Field name="name" label="Your name" {...atMost(80)} autoComplete="name" required />
        <p class="note">It is logged with every change that you make.</p>
        <Field name="token" label="Token" type="password" autoComplete="current-password" required />
        <Outcome said={said} />
        <button type="submit" aria-disabled={busy}>
          Log in
        </button>
      </form>
    </main>
  );
}
