import type { Output } from '@store-platform/client';
import { useEffect, useState } from 'preact/hooks';
import { Select } from '../parts/select.tsx';
import { SmallForm } from '../parts/small-form.tsx';
import { useShop } from '../shop/context.ts';
import { goTo } from '../shop/route.ts';
import { exportUrl, store } from '../shop/store.ts';

type Sessions = Output<'listSessions'>;

const current = { label: 'Current password', type: 'password', autoComplete: 'current-password' } as const;

const languages = { en: 'English', pt: 'Português' };

/** Everything about the customer's own account. @param onChange called once the account is another, or gone */
export function AccountPage({ onChange }: { onChange(): void }) {
  const { account, announce, explain } = useShop();
  const { id } = account;

  async function changeLanguage(locale: keyof typeof languages): Promise<void> {
    try {
      await store.changeAccount({ path: { id }, body: { locale } });
      onChange();
      announce(`Mails to you are in ${languages[locale]} from now on.`);
    } catch (error) {
      announce(explain(error));
    }
  }

  return (
    <section class="narrow" aria-labelledby="account-title">
      <h1 id="account-title" tabIndex={-1}>
        Your account
      </h1>
      <h2>Name</h2>
      <SmallForm
        id="name"
        inputs={[{ name: 'name', label: 'Name', type: 'text', autoComplete: 'name', value: account.name }]}
        explain={explain}
        button="Change the name"
        onSubmit={async ({ name = '' }) => {
          await store.changeAccount({ path: { id }, body: { name } });
          onChange();
          announce('Your name is changed.');
        }}
      />
      <h2>E-mail address</h2>
      <p>It is {account.email}.</p>
      <SmallForm
        id="email"
        inputs={[
          { name: 'email', label: 'New e-mail address', type: 'email', autoComplete: 'email' },
          { name: 'currentPassword', ...current },
        ]}
        explain={explain}
        button="Change the address"
        onSubmit={async ({ email = '', currentPassword = '' }) => {
          await store.changeAccount({ path: { id }, body: { email, currentPassword } });
          announce('A mail is on its way to the new address. It is in force once you follow the link.');
        }}
      />
      <h2>Language of mails</h2>
      <Select
        id="locale"
        label="Language of mails"
        value={account.locale}
        options={Object.entries(languages)}
        onChange={(locale) => (locale === 'en' || locale === 'pt') && void changeLanguage(locale)}
      />
      <h2>Password</h2>
      <SmallForm
        id="password"
        inputs={[
          { name: 'currentPassword', ...current },
          { name: 'newPassword', label: 'New password', type: 'password', autoComplete: 'new-password' },
        ]}
        explain={explain}
        button="Change the password"
        onSubmit={async ({ currentPassword = '', newPassword = '' }) => {
          await store.changePassword({ path: { id }, body: { currentPassword, newPassword } });
          announce('Your password is changed, and your other sessions have ended.');
        }}
      />
      <OwnSessions id={id} />
      <h2>Your data</h2>
      <p>
        <a href={exportUrl(id)} download>
          Everything that the store keeps about you, as a file
        </a>
      </p>
      <h2>Delete the account</h2>
      <p>
        Everything personal is deleted. Orders and invoices stay without your name, as the law wants them. There is no
        way back.
      </p>
      <SmallForm
        id="delete"
        inputs={[{ name: 'password', ...current }]}
        explain={explain}
        button="Delete the account for ever"
        onSubmit={async ({ password = '' }) => {
          await store.deleteAccount({ path: { id }, body: { password } });
          announce('Your account is deleted.');
          goTo('');
          onChange();
        }}
      />
    </section>
  );
}

function OwnSessions({ id }: { id: string }) {
  const { explain } = useShop();
  const [sessions, setSessions] = useState<Sessions>([]);
  const [failure, setFailure] = useState<string>();
  const look = () => store.listSessions({ path: { id } }).then(setSessions);
  const show = (work: Promise<unknown>) => work.then(look).catch((error) => setFailure(explain(error)));
  useEffect(() => void show(Promise.resolve()), [id]);
  return (
    <>
      <h2>Where you are logged in</h2>
      {failure && <p role="alert">{failure}</p>}
      <ul class="sessions">
        {sessions.map(({ id: sessionId, since, address, userAgent, current }) => (
          <li key={sessionId}>
            <span>
              {userAgent ?? 'Unknown'}
              {address && ` at ${address}`}, since <time dateTime={since}>{new Date(since).toLocaleString()}</time>
            </span>
            {current ? (
              <strong>Here</strong>
            ) : (
              <button
                type="button"
                class="plain"
                onClick={() => void show(store.endSession({ path: { id, sessionId } }))}
              >
                End this session
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
