import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { SmallForm } from '../parts/small-form.tsx';
import { sentenceOf } from '../shop/sentences.ts';
import { store } from '../shop/store.ts';

const email = { name: 'email', label: 'E-mail address', type: 'email', autoComplete: 'email' } as const;
const password = { name: 'password', label: 'New password', type: 'password', autoComplete: 'new-password' } as const;

const Page = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="narrow" aria-labelledby="mail-title">
    <h1 id="mail-title" tabIndex={-1}>
      {title}
    </h1>
    {children}
  </section>
);

/** Sends a link to a customer who has forgotten the password. */
export function ForgottenPage() {
  const [isSent, setSent] = useState(false);
  return (
    <Page title="Forgotten password">
      {isSent ? (
        <p role="status">
          If there is an account with this address, a mail is on its way. Its link is valid for half an hour.
        </p>
      ) : (
        <SmallForm
          inputs={[email]}
          button="Send a link"
          onSubmit={async ({ email = '' }) => {
            await store.requestPasswordReset({ body: { email } });
            setSent(true);
          }}
        />
      )}
    </Page>
  );
}

/** Sets the password with the link from a mail. */
export function ResetPage({ token }: { token: string }) {
  const [isSet, setIsSet] = useState(false);
  return (
    <Page title="Set a new password">
      {isSet ? (
        <p role="status">
          Your password is set, and you are logged out everywhere. <a href="#/log-in">Log in</a>
        </p>
      ) : (
        <SmallForm
          inputs={[password]}
          button="Set the password"
          onSubmit={async ({ password = '' }) => {
            await store.confirmPasswordReset({ body: { token, password } });
            setIsSet(true);
          }}
        />
      )}
    </Page>
  );
}

/** Confirms an e-mail address with the link from a mail to it. */
export const ConfirmPage = ({ token }: { token: string }) => (
  <ByLink token={token} done="Thank you. Your e-mail address is confirmed." />
);

/** Cancels a change of the e-mail address with the link from a mail to the current address. */
export const CancelPage = ({ token }: { token: string }) => (
  <ByLink
    token={token}
    done="The change is cancelled, and your e-mail address stays the same. Now change your password: someone else knows it."
  />
);

/** Performs the action of a link, which its token determines. */
function ByLink({ token, done }: { token: string; done: string }) {
  const [sentence, setSentence] = useState('One moment…');
  useEffect(() => {
    store.confirmEmail({ body: { token } }).then(
      () => setSentence(done),
      (error) => setSentence(sentenceOf(error)),
    );
  }, [token, done]);
  return (
    <Page title="E-mail address">
      <p role="status">{sentence}</p>
      <p>
        <a href="#/">Go to the catalogue</a>
      </p>
    </Page>
  );
}
