import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { type AnswerTo, call } from '../api/call.ts';
import { Field } from '../parts/form.tsx';
import { Answer, Problems, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import { useTyping } from '../parts/typing.ts';

type Change = AnswerTo<'showChanges'>['changes'][number];

/** Shows the changes of all services page by page, the latest without being asked. */
export function Changes() {
  const [asked, setAsked] = useState<{ subject?: string | undefined; after?: string | undefined }>({});
  const typing = useTyping((typed) => setAsked({ subject: typed || undefined }));
  const { subject, after } = asked;
  const page = useQuery({
    queryKey: ['changes', subject, after],
    queryFn: () => call('get', '/api/audit', { query: asked }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <h1>Audit</h1>
      <search class="search">
        <Field name="subject" label="Id of a product, an account, an order, a key or a dead letter" {...typing} />
      </search>
      <Answer of={page}>
        {({ changes, problems, next }) => (
          <>
            <Problems texts={problems} />
            {changes.length === 0 && <p role="status">Nothing was changed.</p>}
            {changes.length > 0 && (
              <section class="card" aria-label="Changes">
                <Table
                  rows={changes}
                  keyOf={({ id }) => id}
                  columns={{
                    When: ({ at }) => <Time at={at} />,
                    Who: ({ actor }) => actor,
                    What: ({ kind, subject }) => (
                      <>
                        {kind}
                        <br />
                        <code>{subject}</code>
                      </>
                    ),
                    Change: ({ fields }) => <Fields fields={fields} />,
                  }}
                />
              </section>
            )}
            {after !== undefined && (
              <button type="button" class="quiet" onClick={() => setAsked({ subject })}>
                Latest
              </button>
            )}
            {next && (
              <button type="button" class="quiet" onClick={() => setAsked({ subject, after: next })}>
                Older
              </button>
            )}
          </>
        )}
      </Answer>
    </>
  );
}

const Fields = ({ fields }: Pick<Change, 'fields'>) => (
  <ul>
    {fields.map(({ name, before, after }) => (
      <li key={name}>
        {name}: {before !== null && <del>{before}</del>} {after !== null && <ins>{after}</ins>}
      </li>
    ))}
  </ul>
);
