import { useMutation } from '@tanstack/preact-query';
import type { TargetedSubmitEvent } from 'preact';
import { call } from '../api/call.ts';
import { atMost, Field, textsOf } from '../parts/form.tsx';
import { Outcome } from '../parts/parts.tsx';

export function Login({ onLogin }: { onLogin: (name: string) => void }) {
  const login = useMutation({
    mutationFn: (body: { token: string; name: string }) => call('post', '/session', { body }),
    onSuccess: (_, { name }) => onLogin(name.trim()),
  });

  function logIn(event: TargetedSubmitEvent<HTMLFormElement>) {
    const { name = '', token = '' } = textsOf(event);
    if (!login.isPending) login.mutate({ token, name });
  }

  return (
    <main class="login">
      <form class="card" onSubmit={logIn}>
        <h1>Store console</h1>
        <Field name="name" label="Your name" {...atMost(80)} autoComplete="name" required />
        <p class="note">It is logged with every change that you make.</p>
        <Field name="token" label="Token" type="password" autoComplete="current-password" required />
        <Outcome of={login} />
        <button type="submit" aria-disabled={login.isPending}>
          Log in
        </button>
      </form>
    </main>
  );
}
