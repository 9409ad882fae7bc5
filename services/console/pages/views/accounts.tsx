import { useRef, useState } from 'preact/hooks';
import { call, sentenceOf } from '../api/call.ts';
import { useLive } from '../api/live.ts';
import { Problem, Search, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';

const roleNames = ['catalogue', 'operator'] as const;

/** Roles and API keys of an account. */
export function Accounts() {
  const [typed, setTyped] = useState('');
  const [sought, setSought] = useState('');
  return (
    <>
      <h1>Accounts</h1>
      <Search onSubmit={() => setSought(typed.trim())}>
        <label for="account">E-mail address or id of an account</label>
        <input
          id="account"
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          required
          autoComplete="off"
        />
        <button type="submit">Show</button>
      </Search>
      {sought !== '' && <Account sought={sought} key={sought} />}
    </>
  );
}

function Account({ sought }: { sought: string }) {
  const [version, setVersion] = useState(0);
  const [said, setSaid] = useState<string>();
  const [failed, setFailed] = useState<string>();
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const ask = () => call('get', '/api/account', { query: { sought } });
  const { data, problem } = useLive(`account ${sought}`, ask, { everyMs: 5_000, version });
  if (data === undefined) return <Problem text={problem} />;
  const { id, name, email, roles, keys } = data;

  async function act(work: () => Promise<unknown>, done: string) {
    setFailed(undefined);
    setSaid(undefined);
    // One after the other: each knows what the one before it has changed.
    queue.current = queue.current.then(work).then(
      () => setSaid(done),
      (error) => setFailed(sentenceOf(error)),
    );
    await queue.current;
    setVersion((before) => before + 1);
  }
  async function change(role: (typeof roleNames)[number], isGiven: boolean) {
    const others = (await ask()).roles.filter((one) => one !== role);
    const body = { roles: isGiven ? [...others, role] : others };
    await call('put', '/api/accounts/{id}/roles', { path: { id }, body });
  }
  const end = (keyId: string) => call('delete', '/api/accounts/{id}/keys/{keyId}', { path: { id, keyId } });

  return (
    <>
      <Problem text={problem ?? failed} />
      {said && <p role="status">{said}</p>}
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
                  act(() => change(role, checked), `${role} was ${checked ? 'given' : 'taken'}.`)
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
                onClick={() => act(() => end(id), `The key ${name} has ended.`)}
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
