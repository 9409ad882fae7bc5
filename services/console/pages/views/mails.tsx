import { useQuery } from '@tanstack/preact-query';
import { call } from '../api/call.ts';
import { Answer, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';

/** @param id of the open mail */
export function Mails({ id }: { id: string | undefined }) {
  const mails = useQuery({
    queryKey: ['mails'],
    queryFn: () => call('get', '/api/mails', {}),
    refetchInterval: 2_000,
  });
  return (
    <>
      <h1>Mails</h1>
      {id !== undefined && <OpenMail id={id} key={id} />}
      <Answer of={mails}>
        {(data) => (
          <>
            {data.isSent && <p role="status">The mail server sends them, so none are shown here.</p>}
            {!data.isSent && data.mails.length === 0 && <p role="status">There are no mails yet.</p>}
            {data.mails.length > 0 && (
              <section class="card" aria-label="Newest mails">
                <Table
                  rows={data.mails}
                  keyOf={({ id }) => id}
                  columns={{
                    Subject: ({ id, subject }) => (
                      <a href={`#/mails/${id}`}>
                        <bdi>{subject}</bdi>
                      </a>
                    ),
                    Account: ({ customerId }) => <code>{customerId}</code>,
                    When: ({ createdAt }) => <Time at={createdAt} />,
                  }}
                />
                <p class="note">No mail server is set, so mails are kept here instead of being sent.</p>
              </section>
            )}
          </>
        )}
      </Answer>
    </>
  );
}

function OpenMail({ id }: { id: string }) {
  const mail = useQuery({
    queryKey: ['mail', id],
    queryFn: () => call('get', '/api/mails/{id}', { path: { id } }),
    // A mail does not change.
    staleTime: 'static',
    refetchInterval: false,
    gcTime: 0,
  });
  return (
    <Answer of={mail}>
      {({ subject, to, text, problem }) => (
        <section class="card" aria-label="Mail">
          <h2 dir="auto">{subject}</h2>
          {to === null ? (
            <p class="problem">It would not be sent: {problem}</p>
          ) : (
            <p>
              To <bdi>{to.name}</bdi> &lt;<bdi>{to.address}</bdi>&gt;
            </p>
          )}
          {text.split('\n\n').map((paragraph) => (
            <Paragraph key={paragraph} text={paragraph} />
          ))}
        </section>
      )}
    </Answer>
  );
}

function Paragraph({ text }: { text: string }) {
  const [, before = text, url] = /^(.*?)(https?:\/\/\S+)$/s.exec(text) ?? [];
  return (
    <p dir="auto">
      {before}
      {url && <a href={url}>{url}</a>}
    </p>
  );
}
