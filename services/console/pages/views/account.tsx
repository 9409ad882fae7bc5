import { useMutation, useQuery } from '@tanstack/preact-query';
import { type AnswerTo, call } from '../api/call.ts';
import { renew } from '../api/queries.ts';
import { Answer, Outcome, Problems, Time } from '../parts/parts.tsx';
import { Grave } from '../parts/question.tsx';
import { Table } from '../parts/table.tsx';

const roleNames = ['catalogue', 'operator'] as const;

type Shown = AnswerTo<'showAccount'>;

const onSettled = () => renew('account');

/** An account with its roles, sessions and API keys. */
export function Account({ id }: { id: string }) {
  const account = useQuery({
    queryKey: ['account', id],
    queryFn: () => call('get', '/api/accounts/{id}', { path: { id } }),
  });
  return (
    <Answer of={account}>
      {(shown) => (
        <>
          <Problems texts={shown.problems} />
          <Person shown={shown} />
          {shown.roles !== null && <Roles id={id} roles={shown.roles} />}
          {shown.sessions !== null && <Sessions id={id} sessions={shown.sessions} />}
          {shown.keys !== null && <Keys id={id} keys={shown.keys} />}
        </>
      )}
    </Answer>
  );
}

function Person({ shown: { id, account, lockedAt } }: { shown: Shown }) {
  const setLock = useMutation({
    mutationFn: (isLocked: boolean) => call(isLocked ? 'put' : 'delete', '/api/accounts/{id}/lock', { path: { id } }),
    onSettled,
  });
  const confirm = useMutation({
    mutationFn: () => call('post', '/api/accounts/{id}/confirmation', { path: { id } }),
    onSettled,
  });
  const isLocked = lockedAt !== null;
  const isUnconfirmed = account?.confirmedAt === null;
  return (
    <section class="card" aria-label="Account">
      <h2 dir="auto">{account?.name ?? 'Account'}</h2>
      <dl class="facts">
        {account !== null && (
          <>
            <dt>E-mail address</dt>
            <dd>
              <bdi>{account.email}</bdi> {isUnconfirmed && <span class="badge wait">not confirmed</span>}
            </dd>
            <dt>Since</dt>
            <dd>
              <Time at={account.createdAt} />
            </dd>
          </>
        )}
        <dt>Id</dt>
        <dd>
          <code>{id}</code>
        </dd>
        {lockedAt !== null && (
          <>
            <dt>Locked</dt>
            <dd>
              <span class="badge bad">locked</span> since <Time at={lockedAt} />
            </dd>
          </>
        )}
      </dl>
      <p>
        <a href={`#/orders?customer=${id}`}>Its orders</a> · <a href={`#/audit?subject=${id}`}>Changes to it</a> ·{' '}
        <a href={`#/audit?person=${id}`}>Changes by it</a>
      </p>
      <div class="actions">
        {isUnconfirmed && (
          <button type="button" class="quiet" disabled={confirm.isPending} onClick={() => confirm.mutate()}>
            Send the confirmation again
          </button>
        )}
        {isLocked ? (
          <button type="button" class="quiet" onClick={() => setLock.mutate(false)}>
            Unlock
          </button>
        ) : (
          <Grave
            question={
              <>
                Lock the account of <bdi>{account?.name ?? id}</bdi>?
              </>
            }
            verb="Lock"
            onYes={() => setLock.mutateAsync(true)}
          >
            <p>Its sessions and API keys end, and nobody can log in to it until it is unlocked. Its orders continue.</p>
          </Grave>
        )}
      </div>
      <Outcome of={confirm} done="The mail is on its way." />
      <Outcome of={setLock} done={`The account is ${setLock.variables ? 'locked' : 'unlocked'}.`} />
    </section>
  );
}

interface Change {
  role: (typeof roleNames)[number];
  isGiven: boolean;
}

function Roles({ id, roles }: { id: string; roles: string[] }) {
  const set = useMutation({
    mutationFn: ({ role, isGiven }: Change) =>
      call(isGiven ? 'put' : 'delete', '/api/accounts/{id}/roles/{role}', { path: { id, role } }),
    onSettled,
  });
  const { role, isGiven } = set.variables ?? {};
  return (
    <section class="card" aria-label="Roles">
      <fieldset class="choose roles">
        <legend>
          <h2>Roles</h2>
        </legend>
        {roleNames.map((role) => (
          <label key={role}>
            <input
              type="checkbox"
              checked={roles.includes(role)}
              onChange={({ currentTarget: { checked } }) => set.mutate({ role, isGiven: checked })}
            />{' '}
            {role}
          </label>
        ))}
      </fieldset>
      <Outcome of={set} done={`The role ${role} was ${isGiven ? 'given' : 'removed'}.`} />
    </section>
  );
}

function Sessions({ id, sessions }: { id: string; sessions: NonNullable<Shown['sessions']> }) {
  const end = useMutation({
    mutationFn: (sessionId: string) =>
      call('delete', '/api/accounts/{id}/sessions/{sessionId}', { path: { id, sessionId } }),
    onSettled,
  });
  const endAll = useMutation({
    mutationFn: () => call('delete', '/api/accounts/{id}/sessions', { path: { id } }),
    onSettled,
  });
  return (
    <section class="card" aria-label="Sessions">
      <h2>Sessions</h2>
      <Table
        empty={<p>It has no sessions.</p>}
        rows={sessions}
        keyOf={({ id }) => id}
        columns={{
          Since: ({ since }) => <Time at={since} />,
          From: ({ address }) => address ?? 'not known',
          With: ({ userAgent }) => <bdi>{userAgent ?? 'not known'}</bdi>,
          End: ({ id, address }) => (
            <Grave
              isQuiet
              aria-label={`End the session from ${address}`}
              question={`End the session from ${address ?? 'an unknown address'}?`}
              verb="End"
              onYes={() => end.mutateAsync(id)}
            >
              <p>Anyone logged in there has to log in again.</p>
            </Grave>
          ),
        }}
      />
      <Grave
        isQuiet
        label="End all sessions and API keys"
        question="End all sessions and API keys?"
        verb="End all"
        onYes={() => endAll.mutateAsync()}
      >
        <p>
          Anyone logged in has to log in again. Programs that use an API key stop until they have a new one, and links
          in mails no longer work.
        </p>
      </Grave>
      <Outcome of={end} done="The session has ended." />
      <Outcome of={endAll} done="All sessions, API keys and links in mails have ended." />
    </section>
  );
}

function Keys({ id, keys }: { id: string; keys: NonNullable<Shown['keys']> }) {
  const end = useMutation({
    mutationFn: (key: (typeof keys)[number]) =>
      call('delete', '/api/accounts/{id}/keys/{keyId}', { path: { id, keyId: key.id } }),
    onSettled,
  });
  return (
    <section class="card" aria-label="API keys">
      <h2>API keys</h2>
      <Table
        empty={<p>It has no API keys.</p>}
        rows={keys}
        keyOf={({ id }) => id}
        columns={{
          Name: ({ name }) => <bdi>{name}</bdi>,
          Scopes: ({ scopes }) => scopes.join(', '),
          Created: ({ createdAt }) => <Time at={createdAt} />,
          Until: ({ expiresAt }) => <Time at={expiresAt} />,
          'Last used': ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />),
          End: (key) => (
            <Grave
              isQuiet
              aria-label={`End ${key.name}`}
              question={
                <>
                  End the API key <bdi>{key.name}</bdi>?
                </>
              }
              verb="End"
              onYes={() => end.mutateAsync(key)}
            >
              <p>Programs that use it stop until they have a new one.</p>
            </Grave>
          ),
        }}
      />
      <Outcome of={end} done={`The key ${end.variables?.name} has ended.`} />
    </section>
  );
}
