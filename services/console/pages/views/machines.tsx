import { useMutation, useQuery } from '@tanstack/preact-query';
import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import { type AnswerTo, call } from '../api/call.ts';
import { renew } from '../api/queries.ts';
import { atMost, Field, textsOf } from '../parts/form.tsx';
import { Answer, Outcome, Time } from '../parts/parts.tsx';
import { Grave } from '../parts/question.tsx';
import { Table } from '../parts/table.tsx';

type Machines = AnswerTo<'listMachines'>;
type Machine = Machines['machines'][number];

const onSettled = () => renew('machines');

/** Accounts of machines, with their keys (contract 3.13). */
export function Machines() {
  const machines = useQuery({ queryKey: ['machines'], queryFn: () => call('get', '/api/machines', {}) });
  return (
    <section class="card" aria-label="Machines">
      <h2>Machines</h2>
      <p>
        A service account has keys and no password. It keeps working when the operator who made it leaves, and each of
        its keys can be replaced while it is in use.
      </p>
      <Answer of={machines}>
        {({ machines, scopes, roles }) => (
          <>
            {machines.length === 0 && <p>There are none.</p>}
            {machines.map((one) => (
              <Shown key={one.id} machine={one} />
            ))}
            <NewMachine scopes={scopes} roles={roles} />
          </>
        )}
      </Answer>
    </section>
  );
}

function Shown({ machine: { id, name, scopes, roles, paused, createdAt, keys } }: { machine: Machine }) {
  const pause = useMutation({
    mutationFn: (paused: boolean) => call('put', '/api/machines/{id}/pause', { path: { id }, body: { paused } }),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: () => call('delete', '/api/machines/{id}', { path: { id } }),
    onSettled,
  });
  const make = useMutation({
    mutationFn: () =>
      call('post', '/api/machines/{id}/keys', {
        path: { id },
        // Two keys of one day are told apart.
        body: { name: new Date().toISOString().slice(0, 19).replace('T', ' ') },
      }),
    onSettled,
  });
  const end = useMutation({
    mutationFn: (keyId: string) => call('delete', '/api/machines/{id}/keys/{keyId}', { path: { id, keyId } }),
    onSettled,
  });
  return (
    <section aria-label={name}>
      <h3>
        <bdi>{name}</bdi> {paused && <span class="badge wait">paused</span>}
      </h3>
      <dl class="facts">
        <dt>Scopes</dt>
        <dd>{scopes.join(', ')}</dd>
        {roles.length > 0 && (
          <>
            <dt>Roles</dt>
            <dd>{roles.join(', ')}</dd>
          </>
        )}
        <dt>Since</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
      </dl>
      <Table
        empty={<p>It has no keys.</p>}
        rows={keys}
        keyOf={({ id }) => id}
        columns={{
          Key: ({ name }) => <bdi>{name}</bdi>,
          Until: ({ expiresAt }) => <Time at={expiresAt} />,
          'Last used': ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />),
          End: (key) => (
            <Grave
              isQuiet
              aria-label={`End the key ${key.name} of ${name}`}
              question={
                <>
                  End the key <bdi>{key.name}</bdi>?
                </>
              }
              verb="End"
              onYes={() => end.mutateAsync(key.id)}
            >
              <p>A machine that still uses it stops.</p>
            </Grave>
          ),
        }}
      />
      {make.data !== undefined && (
        <p role="status">
          The new key is shown only now: <code class="secret">{make.data.key}</code>
        </p>
      )}
      <div class="actions">
        <button type="button" class="quiet" disabled={keys.length > 1 || make.isPending} onClick={() => make.mutate()}>
          Make a key
        </button>
        <button type="button" class="quiet" onClick={() => pause.mutate(!paused)}>
          {paused ? 'Resume' : 'Pause'}
        </button>
        <Grave
          isQuiet
          question={
            <>
              Delete <bdi>{name}</bdi>?
            </>
          }
          verb="Delete"
          onYes={() => remove.mutateAsync()}
        >
          <p>Its keys end and never work again.</p>
        </Grave>
      </div>
      <Outcome of={make} />
      <Outcome of={pause} done={pause.variables ? 'Its keys are refused.' : 'Its keys work again.'} />
      <Outcome of={end} done="The key has ended." />
      <Outcome of={remove} />
    </section>
  );
}

type NewMachineBody = NonNullable<Parameters<typeof call<'post', '/api/machines'>>[2]['body']>;

function NewMachine({ scopes, roles }: Pick<Machines, 'scopes' | 'roles'>) {
  const [chosenScopes, setScopes] = useState<string[]>([]);
  const [chosenRoles, setRoles] = useState<string[]>([]);
  const create = useMutation({
    mutationFn: (name: string) =>
      call('post', '/api/machines', {
        // The server has listed these names.
        body: { name, scopes: chosenScopes, roles: chosenRoles } as NewMachineBody,
      }),
    onSettled,
  });
  function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    const form = event.currentTarget;
    create.mutate(textsOf(event).machine ?? '', {
      onSuccess() {
        form.reset();
        setScopes([]);
        setRoles([]);
      },
    });
  }
  return (
    <form class="write" aria-label="New machine" onSubmit={submit}>
      <h3>New machine</h3>
      <Field name="machine" label="Name" required dir="auto" {...atMost(100)} />
      <Choice legend="Scopes" names={scopes} chosen={chosenScopes} onChoose={setScopes} />
      <Choice legend="Roles" names={roles} chosen={chosenRoles} onChoose={setRoles} />
      <button type="submit" disabled={chosenScopes.length === 0 || create.isPending}>
        Create
      </button>
      <Outcome of={create} done="Created. Make a key for it." />
    </form>
  );
}

interface ChoiceProps {
  legend: string;
  names: readonly string[];
  chosen: string[];
  onChoose: (chosen: string[]) => void;
}

const Choice = ({ legend, names, chosen, onChoose }: ChoiceProps) => (
  <fieldset class="choose roles">
    <legend>{legend}</legend>
    {names.map((name) => (
      <label key={name}>
        <input
          type="checkbox"
          checked={chosen.includes(name)}
          onChange={({ currentTarget: { checked } }) =>
            onChoose(checked ? [...chosen, name] : chosen.filter((one) => one !== name))
          }
        />{' '}
        {name}
      </label>
    ))}
  </fieldset>
);
