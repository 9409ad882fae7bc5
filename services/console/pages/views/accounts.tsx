import { useMutation, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { type AnswerTo, call } from '../api/call.ts';
import { renew } from '../api/queries.ts';
import { Search } from '../parts/form.tsx';
import { Answer, Outcome, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';

const roleNames = ['catalogue', 'operator'] as const;

/** Roles and API keys of an account. */
export function Accounts() {
  const [sought, setSought] = useState('');
  return (
    <>
      <h1>Accounts</h1>
      <Search label="E-mail address or id of an account" button="Show" onSearch={setSought} />
      {sought !== '' && <Account sought={sought} key={sought} />}
    </>
  );
}

const find = (sought: string) => call('get', '/api/account', { query: { sought } });
const onSettled = () => renew('account');

function Account({ sought }: { sought: string }) {
  const account = useQuery({ queryKey: ['account', sought], queryFn: () => find(sought) });
  return (
    <Answer of={account}>
      {(data) => (
        <>
          <Roles account={data} sought={sought} />
          <Keys account={data} />
        </>
      )}
    </Answer>
  );
}

interface AccountProps {
  account: AnswerTo<'showAccount'>;
}

interface Change {
  role: (typeof roleNames)[number];
  isGiven: boolean;
}

function Roles({ account: { id, name, email, roles }, sought }: AccountProps & { sought: string }) {
  const set = useMutation({
    // One after the other, since each begins with what is set.
    scope: { id: 'roles' },
    async mutationFn({ role, isGiven }: Change) {
      const others = (await find(sought)).roles.filter((one) => one !== role);
      const body = { roles: isGiven ? [...others, role] : others };
      await call('put', '/api/accounts/{id}/roles', { path: { id }, body });
    },
    onSettled,
  });
  const { role, isGiven } = set.variables ?? {};
  return (
    <section class="card" aria-label="Account">
      <h2>{name ?? 'Account'}</h2>
      <p>
        {email} <code>{id}</code>
      </p>
      <fieldset>
        <legend>Roles</legend>
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
      <Outcome of={set} done={`${role} was ${isGiven ? 'given' : 'taken'}.`} />
    </section>
  );
}

function Keys({ account: { id, keys } }: AccountProps) {
  const end = useMutation({
    mutationFn: (key: (typeof keys)[number]) =>
      call('delete', '/api/accounts/{id}/keys/{keyId}', { path: { id, keyId: key.id } }),
    onSettled,
  });
  return (
    <section class="card" aria-label="API keys">
      <h2>API keys</h2>
      <Outcome of={end} done={`The key ${end.variables?.name} has ended.`} />
      <Table
        empty={<p>It has none.</p>}
        rows={keys}
        keyOf={({ id }) => id}
        columns={{
          Name: ({ name }) => name,
          Scopes: ({ scopes }) => scopes.join(', '),
          Made: ({ createdAt }) => <Time at={createdAt} />,
          Until: ({ expiresAt }) => <Time at={expiresAt} />,
          'Last used': ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />),
          End: (key) => (
            <button type="button" aria-label={`End ${key.name}`} onClick={() => end.mutate(key)}>
              End
            </button>
          ),
        }}
      />
    </section>
  );
}
