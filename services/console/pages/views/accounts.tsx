import { useState } from 'preact/hooks';
import { useActs } from '../api/acts.ts';
import { call } from '../api/call.ts';
import { useLive } from '../api/live.ts';
import { Search } from '../parts/form.tsx';
import { Outcome, Problem, Time } from '../parts/parts.tsx';
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

function Account({ sought }: { sought: string }) {
  const { act, said } = useActs();
  const ask = () => call('get', '/api/account', { query: { sought } });
  const { data, problem, again } = useLive(`account ${sought}`, ask, 5_000);
  if (data === undefined) return <Problem text={problem} />;
  const { id, name, email, roles, keys } = data;

  const change = (work: () => Promise<unknown>, done: string) => act(() => work().finally(again), done);
  async function setRole(role: (typeof roleNames)[number], isGiven: boolean) {
    const others = (await ask()).roles.filter((one) => one !== role);
    const body = { roles: isGiven ? [...others, role] : others };
    await call('put', '/api/accounts/{id}/roles', { path: { id }, body });
  }
  const end = (keyId: string) => call('delete', '/api/accounts/{id}/keys/{keyId}', { path: { id, keyId } });

  return (
    <>
      <Problem text={problem} />
      <Outcome said={said} />
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
                onChange={({ currentTarget: { checked } }) =>
                  change(() => setRole(role, checked), `${role} was ${checked ? 'given' : 'taken'}.`)
                }
              />{' '}
              {role}
            </label>
          ))}
        </fieldset>
      </section>
      <section class="card" aria-label="API keys">
        <h2>API keys</h2>
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
            End: ({ id, name }) => (
              <button
                type="button"
                aria-label={`End ${name}`}
                onClick={() => change(() => end(id), `The key ${name} has ended.`)}
              >
                End
              </button>
            ),
          }}
        />
      </section>
    </>
  );
}
