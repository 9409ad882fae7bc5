import { useEffect, useState } from 'preact/hooks';
import { useActs } from '../api/acts.ts';
import { type AnswerTo, call } from '../api/call.ts';
import { useLive } from '../api/live.ts';
import { Outcome, Problem, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';

type Mail = AnswerTo<'showMail'>;

/** @param id of the mail that is read */
export function Mails({ id }: { id: string | undefined }) {
  const { data, problem } = useLive('mails', () => call('get', '/api/mails', {}));
  return (
    <>
      <h1>Mails</h1>
      <Problem text={problem} />
      {id !== undefined && <OpenMail id={id} key={id} />}
      {data?.isSent && <p role="status">They are sent by the mail server, and not shown here.</p>}
      {data?.isSent === false && data.mails.length === 0 && <p role="status">There is no mail yet.</p>}
      {data !== undefined && data.mails.length > 0 && (
        <section class="card" aria-label="Newest mails">
          <Table
            rows={data.mails}
            keyOf={({ id }) => id}
            columns={{
              Subject: ({ id, subject }) => <a href={`#/mails/${id}`}>{subject}</a>,
              Account: ({ customerId }) => <code>{customerId}</code>,
              When: ({ createdAt }) => <Time at={createdAt} />,
            }}
          />
          <p class="note">No mail server is set, so they are kept here instead of being sent.</p>
        </section>
      )}
    </>
  );
}

/** Asked for once: each time makes the link anew. */
function OpenMail({ id }: { id: string }) {
  const [mail, setMail] = useState<Mail>();
  const { act, said } = useActs();
  useEffect(() => act(async () => setMail(await call('get', '/api/mails/{id}', { path: { id } }))), [id]);
  if (mail === undefined) return <Outcome said={said} />;
  const { subject, to, text } = mail;
  return (
    <section class="card" aria-label="Mail">
      <h2>{subject}</h2>
      <p>
        To {to.name} &lt;{to.address}&gt;
      </p>
      {text.split('\n\n').map((paragraph) => (
        <Paragraph key={paragraph} text={paragraph} />
      ))}
    </section>
  );
}

function Paragraph({ text }: { text: string }) {
  const [, before = text, url] = /^(.*?)(https?:\/\/\S+)$/s.exec(text) ?? [];
  return (
    <p>
      {before}
      {url && <a href={url}>{url}</a>}
    </p>
  );
}
