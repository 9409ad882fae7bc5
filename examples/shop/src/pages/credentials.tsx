import type { Account } from '@store-platform/client';
import { StoreProblem } from '@store-platform/client';
import { Artwork } from '../parts/artwork.tsx';
import { type Input, SmallForm } from '../parts/small-form.tsx';
import { store } from '../shop/store.ts';

const name: Input = { name: 'name', label: 'Name', type: 'text', autoComplete: 'name' };
const email: Input = { name: 'email', label: 'E-mail address', type: 'email', autoComplete: 'email' };
const password = { name: 'password', label: 'Password', type: 'password' } as const;

interface Props {
  isNew: boolean;
  /** Why the page appears, if the customer did not open it. */
  reason: string | undefined;
  onLogIn(account: Account): void;
}

/** Logs in, or registers and logs in. */
export function CredentialsPage({ isNew, reason, onLogIn }: Props) {
  const inputs: Input[] = [
    ...(isNew ? [name] : []),
    email,
    { ...password, autoComplete: `${isNew ? 'new' : 'current'}-password` },
  ];

  async function submit({ name = '', email = '', password = '' }: Record<string, string>): Promise<void> {
    if (isNew) await store.register({ body: { name, email, password, locale: ownLocale() } });
    onLogIn(await store.logIn({ body: { email, password } }));
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
        <SmallForm
          inputs={inputs}
          button={isNew ? 'Register' : 'Log in'}
          onSubmit={submit}
          explain={wrongCredentials}
        />
        {!isNew && (
          <p class="otherwise">
            <a href="#/forgotten">Forgotten password?</a>
          </p>
        )}
        <p class="otherwise">
          {isNew ? 'Already have an account? ' : 'New here? '}
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

/** The language of mails: the browser's language if the store supports it. */
const ownLocale = () => (navigator.language.startsWith('pt') ? 'pt' : 'en');

const wrongCredentials = (error: unknown) =>
  error instanceof StoreProblem && error.status === 401 ? 'The e-mail address or the password is wrong.' : undefined;
