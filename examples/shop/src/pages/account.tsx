import { OutcomeUnknown, type Output, StoreProblem } from '@store-platform/client';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { forgetAddress } from '../parts/address.tsx';
import { Failure } from '../parts/failure.tsx';
import { when } from '../parts/order-status.tsx';
import { Select } from '../parts/select.tsx';
import { SmallForm } from '../parts/small-form.tsx';
import { forgetBasket } from '../shop/basket.ts';
import { useShop } from '../shop/context.ts';
import { forget } from '../shop/place-order.ts';
import { goTo } from '../shop/route.ts';
import { inDoubt } from '../shop/sentences.ts';
import { readExport, store } from '../shop/store.ts';

type Sessions = Output<'listSessions'>;

const current = { label: 'Current password', type: 'password', autoComplete: 'current-password' } as const;

const languages = { en: 'English', pt: 'Português' };

/** Everything about the customer's own account. */
export function AccountPage() {
  const { account, announce, explain, askWhoIsLoggedIn } = useShop();
  const { id } = account;

  async function changeLanguage(locale: keyof typeof languages): Promise<void> {
    try {
      await store.changeAccount({ path: { id }, body: { locale } });
      askWhoIsLoggedIn();
      announce(`Mails to you will be in ${languages[locale]} from now on.`);
    } catch (error) {
      announce(explain(error));
    }
  }

  return (
    <div class="account">
      <h1 tabIndex={-1}>Your account</h1>
      <Part title="Name">
        <SmallForm
          id="name"
          inputs={[{ name: 'name', label: 'Name', type: 'text', autoComplete: 'name', value: account.name }]}
          explain={explain}
          button="Change the name"
          kind="plain"
          onSubmit={async ({ name = '' }) => {
            await store.changeAccount({ path: { id }, body: { name } });
            askWhoIsLoggedIn();
            announce('Your name has been changed.');
          }}
        />
      </Part>
      <Part title="E-mail address">
        <p>Your address is {account.email}.</p>
        <SmallForm
          id="email"
          inputs={[
            { name: 'email', label: 'New e-mail address', type: 'email', autoComplete: 'email' },
            { name: 'currentPassword', ...current },
          ]}
          explain={explain}
          button="Change the address"
          kind="plain"
          onSubmit={async ({ email = '', currentPassword = '' }) => {
            await store.changeAccount({ path: { id }, body: { email, currentPassword } });
            announce('A mail is on its way to the new address. Follow its link to complete the change.');
          }}
        />
      </Part>
      <Password />
      <Part title="Language of mails">
        <Select
          id="locale"
          label="Language of mails"
          value={account.locale}
          options={Object.entries(languages)}
          onChange={(locale) => (locale === 'en' || locale === 'pt') && void changeLanguage(locale)}
        />
      </Part>
      <OwnSessions id={id} />
      <OwnData id={id} />
      <Deletion />
    </div>
  );
}

const Part = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="part">
    <h2>{title}</h2>
    {children}
  </section>
);

function Password() {
  const { account, announce, explain, doubtPassword } = useShop();
  const { id } = account;
  return (
    <Part title="Password">
      <SmallForm
        id="password"
        inputs={[
          { name: 'currentPassword', ...current },
          { name: 'newPassword', label: 'New password', type: 'password', autoComplete: 'new-password' },
        ]}
        explain={explain}
        button="Change the password"
        kind="plain"
        onSubmit={async ({ currentPassword = '', newPassword = '' }) => {
          try {
            await store.changePassword({ path: { id }, body: { currentPassword, newPassword } });
          } catch (error) {
            if (error instanceof OutcomeUnknown) doubtPassword();
            throw error;
          }
          announce('Your password has been changed, and your other sessions have ended.');
        }}
      />
    </Part>
  );
}

function OwnSessions({ id }: { id: string }) {
  const { explain } = useShop();
  const [sessions, setSessions] = useState<Sessions>();
  const [failure, setFailure] = useState<string>();
  async function show(work?: Promise<unknown>): Promise<void> {
    setFailure(undefined);
    try {
      await work;
      setSessions(await store.listSessions({ path: { id } }));
    } catch (error) {
      setFailure(explain(error));
    }
  }
  useEffect(() => void show(), [id]);
  return (
    <Part title="Where you are logged in">
      <Failure sentence={failure} onRetry={() => void show()} />
      {!sessions && !failure && <p class="waiting">One moment…</p>}
      <ul class="sessions">
        {sessions?.map(({ id: sessionId, since, address, userAgent, current }) => (
          <li key={sessionId}>
            <p>
              {userAgent ?? 'Unknown'}
              <br />
              <span class="note">
                {address && `${address}, `}since <time dateTime={since}>{when(since)}</time>
              </span>
            </p>
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
    </Part>
  );
}

function OwnData({ id }: { id: string }) {
  const { announce, explain } = useShop();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  async function save(): Promise<void> {
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(await readExport(id));
      link.download = 'account.json';
      link.click();
      URL.revokeObjectURL(link.href);
      announce('The file with your data has been saved.');
    } catch (error) {
      setFailure(explain(error));
    }
    setBusy(false);
  }

  return (
    <Part title="Your data">
      <p>Everything that the store keeps about you, as a file.</p>
      <Failure sentence={failure} onRetry={() => void save()} />
      <button type="button" aria-disabled={busy} onClick={() => void save()}>
        {busy ? 'One moment…' : 'Save your data'}
      </button>
    </Part>
  );
}

function Deletion() {
  const { account, announce, explain, leave } = useShop();
  const { id } = account;
  const mayBeGone = useRef(false);

  async function remove(password: string): Promise<void> {
    try {
      await store.deleteAccount({ path: { id }, body: { password } });
    } catch (error) {
      // 401 means that an earlier deletion, whose answer was lost, succeeded.
      if (mayBeGone.current && error instanceof StoreProblem && error.status === 401) return;
      if (error instanceof OutcomeUnknown) {
        // Sessions end before the deletion, so a 401 does not tell whether the deletion succeeded (contract 4.3).
        mayBeGone.current = !(error.cause instanceof StoreProblem && error.cause.status === 401);
        announce(inDoubt.deleteAccount);
      }
      throw error;
    }
  }

  return (
    <Part title="Delete the account">
      <p>
        All personal data is deleted. Orders and invoices remain without your name, as the law requires. This cannot be
        undone.
      </p>
      <SmallForm
        id="delete"
        inputs={[{ name: 'password', ...current }]}
        explain={explain}
        button="Delete the account forever"
        kind="grave"
        onSubmit={async ({ password = '' }) => {
          await leave(() => remove(password));
          for (const forgetKept of [forgetBasket, forget, forgetAddress]) forgetKept(id);
          announce('Your account has been deleted.');
          goTo('');
        }}
      />
    </Part>
  );
}
