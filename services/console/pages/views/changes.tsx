import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import type { TargetedSubmitEvent } from 'preact';
import { everybody } from '../../../shared/src/values/everybody.ts';
import { type AnswerTo, call } from '../api/call.ts';
import { addressOf } from '../pages.ts';
import { enteredTime } from '../parts/clock.ts';
import { Field, textsOf } from '../parts/form.tsx';
import { Paging } from '../parts/paging.tsx';
import { Answer, Problems, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';

type Change = AnswerTo<'showChanges'>['changes'][number];

/**
 * Shows the changes of all services page by page; without a search, the latest.
 * @param query filters and cursor from the page's address
 */
export function Changes({ query }: { query: URLSearchParams }) {
  const given = Object.fromEntries(query);
  const { person, subject, from, to, after } = given;
  const page = useQuery({
    queryKey: ['changes', query.toString()],
    queryFn: () =>
      call('get', '/api/audit', { query: { person, subject, from: enteredTime(from), to: enteredTime(to), after } }),
    placeholderData: keepPreviousData,
  });
  function search(event: TargetedSubmitEvent<HTMLFormElement>) {
    location.hash = addressOf('audit', textsOf(event));
  }
  return (
    <>
      <h1>Audit</h1>
      <search>
        <form class="filters" key={query.toString()} onSubmit={search}>
          <div>
            <Field name="person" label="Who: name, address or id" defaultValue={person} spellcheck={false} dir="auto" />
          </div>
          <div>
            <Field name="subject" label="What: id, or how it begins" defaultValue={subject} spellcheck={false} />
          </div>
          <div>
            <Field name="from" label="From (UTC)" type="datetime-local" defaultValue={from} />
          </div>
          <div>
            <Field name="to" label="Until (UTC)" type="datetime-local" defaultValue={to} />
          </div>
          <button type="submit">Show</button>
        </form>
      </search>
      <Answer of={page}>
        {({ changes, problems, next }) => (
          <>
            <Problems texts={problems} />
            {changes.length + problems.length === 0 && <p role="status">Nothing was changed.</p>}
            {changes.length > 0 && (
              <section class="card changes" aria-label="Changes">
                <Table
                  rows={changes}
                  keyOf={({ id }) => id}
                  columns={{
                    When: ({ at }) => <Time at={at} />,
                    Who: (change) => <Who change={change} />,
                    What: ({ kind, subject }) => (
                      <>
                        {kind}
                        <br />
                        <Subject kind={kind} id={subject} />
                      </>
                    ),
                    Change: ({ fields }) => <Fields fields={fields} />,
                  }}
                />
              </section>
            )}
            <Paging
              first={after === undefined ? undefined : addressOf('audit', { ...given, after: '' })}
              next={next === null ? undefined : addressOf('audit', { ...given, after: next })}
            />
          </>
        )}
      </Answer>
    </>
  );
}

const Who = ({ change: { actor, name, accountId } }: { change: Change }) =>
  accountId === null ? (
    <bdi>{actor}</bdi>
  ) : (
    <>
      {actor.split(' ')[0]}{' '}
      <a href={`#/accounts/${accountId}`}>
        <bdi>{name ?? <code>{accountId.slice(0, 8)}</code>}</bdi>
      </a>
    </>
  );

/** Pages of changed records by kind. A kind whose id names only a part of a record has no page. */
const pages: Record<string, string> = {
  product: 'stock',
  stock: 'stock',
  order: 'orders',
  note: 'orders',
  mail: 'orders',
  roles: 'accounts',
  lock: 'accounts',
  password: 'accounts',
  'e-mail address': 'accounts',
};

function Subject({ kind, id }: { kind: string; id: string }) {
  if (id === everybody) return <>all customers</>;
  const page = pages[kind];
  return page === undefined ? (
    <code>{id}</code>
  ) : (
    <a href={`#/${page}/${id}`}>
      <code>{id}</code>
    </a>
  );
}

const Fields = ({ fields }: Pick<Change, 'fields'>) => (
  <ul>
    {fields.map(({ name, before, after }) => (
      <li key={name}>
        {name}: {before !== null && <del dir="auto">{before}</del>} {after !== null && <ins dir="auto">{after}</ins>}
      </li>
    ))}
  </ul>
);
