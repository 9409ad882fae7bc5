import type { Account } from '@store-platform/client';
import { StoreProblem } from '@store-platform/client';
import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import { Artwork } from '../parts/artwork.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { fieldErrorsOf, missingOf, sentenceOf } from '../shop/sentences.ts';
import { store } from '../shop/store.ts';

const labels = { name: 'Name', email: 'E-mail address', password: 'Password' };

interface Props {
  isNew: boolean;
  /** Why the page is shown, where nobody asked for it. */
  reason: string | undefined;
  onLogIn(account: Account): void;
}

/** Logs in, or registers and logs in. */
export function CredentialsPage({ isNew, reason, onLogIn }: Props) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [errors, setErrors] = useState<Record<string, string>>({});

  async function submit(event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (busy) return;
    const form = event.currentTarget;
    const text = (name: string) => String(new FormData(form).get(name) ?? '');
    const credentials = { email: text('email').trim(), password: text('password') };
    const newAccount = { name: text('name').trim(), ...credentials };
    setFailure(undefined);
    if (!show(missingOf(isNew ? newAccount : credentials, labels))) return;
    setBusy(true);
    try {
      if (isNew) await store.register({ body: newAccount });
      onLogIn(await store.logIn({ body: credentials }));
    } catch (error) {
      if (show(fieldErrorsOf(error, labels))) setFailure(wrongCredentials(error) ?? sentenceOf(error));
      setBusy(false);
    }

    /** @returns whether there is none */
    function show(byField: Record<string, string>): boolean {
      setErrors(byField);
      const [first] = Object.keys(byField);
      if (first) form.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus();
      return !first;
    }
  }

  return (
    <div class="welcome">
      <section aria-labelledby="welcome-title">
        <h1 id="welcome-title" tabIndex={-1} aria-describedby={reason && 'reason'}>
          {isNew ? 'Register' : 'Log in'}
        </h1>
        {reason && (
          <p id="reason" class="reason">
            {reason}
          </p>
        )}
        <p class="lead">{isNew ? 'A name, an address, a password. That is all.' : 'Good to see you again.'}</p>
        <form onSubmit={submit} noValidate>
          <Failure sentence={failure} />
          {isNew && <Field name="name" type="text" label={labels.name} autoComplete="name" error={errors.name} />}
          <Field name="email" label={labels.email} type="email" autoComplete="email" error={errors.email} />
          <Field
            name="password"
            label={labels.password}
            type="password"
            autoComplete={isNew ? 'new-password' : 'current-password'}
            error={errors.password}
          />
          <button type="submit" class="main" aria-disabled={busy}>
            {busy ? 'One moment…' : isNew ? 'Register' : 'Log in'}
          </button>
        </form>
        <p class="otherwise">
          {isNew ? 'You have an account? ' : 'You are new here? '}
          <a href={isNew ? '#/log-in' : '#/register'}>{isNew ? 'Log in' : 'Register'}</a>
        </p>
      </section>
      <div class="gallery" aria-hidden="true">
        {['Green tea', 'Olive oil', 'Coffee beans', 'Beeswax candle'].map((name) => (
          <Artwork key={name} name={name} />
        ))}
      </div>
    </div>
  );
}

const wrongCredentials = (error: unknown) =>
  error instanceof StoreProblem && error.status === 401 ? 'The e-mail address or the password is wrong.' : undefined;
