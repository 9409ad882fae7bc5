import { useMutation } from '@tanstack/preact-query';
import type { TargetedSubmitEvent } from 'preact';
import { call } from '../api/call.ts';
import { atMost, Field, textsOf } from '../parts/form.tsx';
import { Outcome } from '../parts/parts.tsx';

type Given = { email: string; password: string } | { token: string; name: string };

/** @param onLogin called when a session has begun */
export function Login({ onLogin }: { onLogin: () => void }) {
  return (
    <main class="login">
      <h1>Store console</h1>
      <ByAccount onLogin={onLogin} />
      <ByToken onLogin={onLogin} />
    </main>
  );
}

/** Each form has its own mutation and shows its own errors. */
const useLogin = (onLogin: () => void) =>
  useMutation({ mutationFn: (body: Given) => call('post', '/session', { body }), onSuccess: onLogin });

function ByAccount({ onLogin }: { onLogin: () => void }) {
  const login = useLogin(onLogin);
  function logIn(event: TargetedSubmitEvent<HTMLFormElement>) {
    const { email = '', password = '' } = textsOf(event);
    if (!login.isPending) login.mutate({ email, password });
  }
  return (
    <form class="card" onSubmit={logIn}>
      <h2>With your store account</h2>
      <Field name="email" label="E-mail address" type="email" autoComplete="username" required />
      <Field name="password" label="Password" type="password" autoComplete="current-password" required />
      <Outcome of={login} />
      <button type="submit" aria-disabled={login.isPending}>
        Log in
      </button>
      <p class="note">
        It needs the role operator. Register in the shop, then get the role by <code>make grant</code> or on the page
        Accounts.
      </p>
    </form>
  );
}

function ByToken({ onLogin }: { onLogin: () => void }) {
  const login = useLogin(onLogin);
  function logIn(event: TargetedSubmitEvent<HTMLFormElement>) {
    const { name = '', token = '' } = textsOf(event);
    if (!login.isPending) login.mutate({ name, token });
  }
  return (
    <form class="card" onSubmit={logIn}>
      <h2>With the shared token</h2>
      <p class="note">
        While auth is away, or before anyone has an account. The name is not checked, so actions are marked.
      </p>
      <Field name="name" label="Your name" {...atMost(80)} autoComplete="name" dir="auto" required />
      <Field name="token" label="Token" type="password" autoComplete="off" required />
      <Outcome of={login} />
      <button type="submit" class="quiet" aria-disabled={login.isPending}>
        Use the token
      </button>
    </form>
  );
}
