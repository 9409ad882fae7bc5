import { useMutation } from '@tanstack/preact-query';
import { useRef, useState } from 'preact/hooks';
import { type AnswerTo, call } from '../../api/call.ts';
import { renew } from '../../api/queries.ts';
import { amountPattern, atMost, Field, textsOf } from '../../parts/form.tsx';
import { Badge, money, Outcome, Time } from '../../parts/parts.tsx';
import { Grave } from '../../parts/question.tsx';
import { Table } from '../../parts/table.tsx';

type Known = AnswerTo<'showOrder'>;

/** Cancels an order, as its owner can. */
export function Cancel({ id }: { id: string }) {
  const cancel = useMutation({
    mutationFn: (reason: string) => call('post', '/api/orders/{id}/cancellation', { path: { id }, body: { reason } }),
    onSuccess: () => renew('order'),
  });
  return (
    <>
      <Grave
        label="Cancel this order"
        question="Cancel this order?"
        verb="Cancel the order"
        disabled={cancel.isPending}
        onYes={({ reason = '' }) => cancel.mutateAsync(reason)}
      >
        <p>Its stock is released, and its payment is refunded. This cannot be undone.</p>
        <label for="reason">Reason</label>
        <textarea id="reason" name="reason" rows={2} required dir="auto" {...atMost(500)} />
        <p class="note">
          For operators and the audit trail: do not name the customer, who is told only that the store has cancelled the
          order.
        </p>
      </Grave>
      <Outcome of={cancel} />
    </>
  );
}

/** What the order service takes, without the fields that were left empty. */
const filledIn = (texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== ''));

/** Ships a paid order. */
export function Ship({ id }: { id: string }) {
  const ship = useMutation({
    mutationFn: (texts: Record<string, string>) =>
      call('post', '/api/orders/{id}/shipments', { path: { id }, body: filledIn(texts) }),
    onSuccess: () => renew('order'),
  });
  return (
    <>
      <Grave
        label="Ship this order"
        question="Ship this order?"
        verb="Ship the order"
        disabled={ship.isPending}
        onYes={(texts) => ship.mutateAsync(texts)}
      >
        <p>It can then no longer be cancelled, and its customer gets a mail. All fields may be left empty.</p>
        <Field name="carrier" label="Carrier" dir="auto" {...atMost(80)} />
        <Field name="trackingNumber" label="Tracking number" spellcheck={false} {...atMost(80)} />
        <Field
          name="trackingUrl"
          label="Tracking page (https)"
          type="url"
          pattern="https://.+"
          title="an address that begins with https://"
          {...atMost(2_000)}
        />
      </Grave>
      <Outcome of={ship} />
    </>
  );
}

interface RefundProps {
  order: NonNullable<Known['order']>;
  /** Refunds that have succeeded or may still succeed. */
  refunds: Known['refunds'];
  left: number;
}

/** Refunds pieces of an order, or an amount, before or after shipping. */
function Refund({ order, refunds, left }: RefundProps) {
  // With the same key, a repetition after a lost answer makes no second refund.
  const [key, setKey] = useState(() => crypto.randomUUID());
  const { id, items, total } = order;
  const returned = refunds.flatMap(({ lines }) => lines ?? []);
  const piecesLeft = items.map((item) => {
    const back = returned.filter(({ productId }) => productId === item.productId);
    return { ...item, most: item.quantity - back.reduce((sum, { quantity }) => sum + quantity, 0) };
  });
  const refund = useMutation({
    async mutationFn({ reason = '', amount = '', ...texts }: Record<string, string>) {
      const lines = items.flatMap(({ productId }) => {
        const quantity = Number(texts[productId] ?? 0);
        return quantity > 0 ? [{ productId, quantity }] : [];
      });
      if (amount === '' && lines.length === 0) throw new Error('Enter pieces or an amount.');
      if (amount !== '' && lines.length > 0) throw new Error('Enter either pieces or an amount, not both.');
      const what = amount === '' ? { lines } : { amount: { amount, currency: total.currency } };
      await call('put', '/api/orders/{id}/refunds/{key}', { path: { id, key }, body: { ...what, reason } });
    },
    onSuccess: () => {
      setKey(crypto.randomUUID());
      return renew('order');
    },
  });
  return (
    <>
      <Grave
        label="Refund a part"
        question="Refund a part of this order?"
        verb="Refund"
        disabled={refund.isPending}
        onYes={(texts) => refund.mutateAsync(texts)}
      >
        <p>
          Either pieces at the prices of the order, or an amount. {money({ ...total, amount: left })} is left. The
          customer gets a mail. This cannot be undone.
        </p>
        {piecesLeft
          .filter(({ most }) => most > 0)
          .map(({ productId, name, most }) => (
            <Field
              key={productId}
              name={productId}
              label={`Pieces of ${name ?? productId}, at most ${most}`}
              type="number"
              min={0}
              max={most}
            />
          ))}
        <Field name="amount" label={`Amount in ${total.currency}`} {...amountPattern} />
        <label for="refund-reason">Why it is refunded</label>
        <textarea id="refund-reason" name="reason" rows={2} required dir="auto" {...atMost(500)} />
        <p class="note">For operators and the audit trail: do not name the customer, who never sees it.</p>
      </Grave>
      <Outcome of={refund} done="The refund is on its way." />
    </>
  );
}

/** What went back of a payment, and a button to refund more. */
export function Refunds({
  order,
  payment,
  refunds,
  disputes,
}: Pick<Known, 'order' | 'payment' | 'refunds' | 'disputes'>) {
  if (payment === null || payment.amount === null) return null;
  const isPaid = payment.status !== 'CHARGING' && payment.status !== 'FAILED';
  const counted = refunds.filter(({ state }) => state !== 'FAILED');
  // Payment decides. It also subtracts what the customer disputes.
  const left = counted.reduce((rest, { amount }) => rest - amount.amount, payment.amount.amount);
  const isSomethingLeft = left > 0.00001;
  return (
    <section class="card" aria-label="Refunds">
      <h2>Refunds</h2>
      <Table
        empty={<p class="note">There are no refunds.</p>}
        rows={refunds}
        keyOf={({ id }) => id}
        columns={{
          Amount: ({ amount }) => money(amount),
          State: ({ state, failure }) => (
            <>
              <Badge text={state} /> {failure}
            </>
          ),
          Made: ({ createdAt }) => <Time at={createdAt} />,
          By: ({ actor, source }) => <bdi>{actor ?? source}</bdi>,
          Reason: ({ reason }) => <bdi>{reason}</bdi>,
        }}
      />
      {disputes.length > 0 && (
        <>
          <h3>Disputes</h3>
          <Table
            rows={disputes}
            keyOf={({ id }) => id}
            columns={{
              Amount: ({ amount }) => money(amount),
              State: ({ state }) => <Badge text={state} />,
              'Id at the provider': ({ providerRef }) => <code>{providerRef}</code>,
              Begun: ({ createdAt }) => <Time at={createdAt} />,
            }}
          />
        </>
      )}
      {order && isPaid && isSomethingLeft && <Refund order={order} refunds={counted} left={left} />}
    </section>
  );
}

/** The operators' notes on an order, and a field for a new note. */
export function Notes({ id, notes }: { id: string; notes: NonNullable<Known['order']>['notes'] }) {
  // With the same id, a repetition after a lost answer does not add a second note.
  const [noteId, setNoteId] = useState(() => crypto.randomUUID());
  const form = useRef<HTMLFormElement>(null);
  const leave = useMutation({
    mutationFn: (text: string) =>
      call('put', '/api/orders/{id}/notes/{noteId}', { path: { id, noteId }, body: { text } }),
    onSuccess: () => {
      setNoteId(crypto.randomUUID());
      form.current?.reset();
      return renew('order');
    },
  });
  return (
    <section class="card" aria-label="Notes">
      <h2>Notes</h2>
      {notes.length === 0 && <p class="note">There are no notes. Customers never see them.</p>}
      <ul>
        {notes.map(({ id: one, actor, text, createdAt, kind }) => (
          <li key={one}>
            <Time at={createdAt} />{' '}
            <strong>
              <bdi>{actor}</bdi>
            </strong>
            {kind === 'CANCELLATION' && ', who cancelled the order'}
            <p class="written">
              <bdi>{text}</bdi>
            </p>
          </li>
        ))}
      </ul>
      <form class="write" ref={form} onSubmit={(event) => leave.mutate(textsOf(event).text ?? '')}>
        <label for="text">A note</label>
        <textarea id="text" name="text" rows={3} required dir="auto" {...atMost(2_000)} />
        <button type="submit" disabled={leave.isPending}>
          Leave the note
        </button>
      </form>
      <Outcome of={leave} done="The note was added." />
    </section>
  );
}

/** Messages about an order to its customer. Each can be sent again. */
export const Messages = ({ mails, problems }: Pick<Known, 'mails' | 'problems'>) => (
  <section class="card" aria-label="Mails">
    <h2>Mails</h2>
    <Table
      empty={
        <p class="note">{problems.length === 0 ? 'There are no mails.' : 'Not known: a service does not answer.'}</p>
      }
      rows={mails}
      keyOf={({ id }) => id}
      columns={{
        Subject: ({ subject }) => <bdi>{subject}</bdi>,
        Written: ({ createdAt }) => <Time at={createdAt} />,
        State: (mail) => <State mail={mail} />,
        'Send again': (mail) =>
          mail.canBeResent === false ? <span class="note">no mail server is set</span> : <SendAgain mail={mail} />,
      }}
    />
    <p class="note">
      A mail sent again goes to the account's current address and counts against the hourly limit of its mailbox. Above
      that it waits for the digest.
    </p>
  </section>
);

type Mail = Known['mails'][number];

function State({ mail: { sentAt, refusal, waitsFor } }: { mail: Mail }) {
  if (sentAt !== undefined)
    return (
      <>
        sent <Time at={sentAt} />
      </>
    );
  if (refusal !== undefined) return <span class="bad">given up: {refusal}</span>;
  if (waitsFor === 'digest') return <>waits for the hourly digest</>;
  return <>{waitsFor === undefined ? 'not sent: there was no mail server' : 'waits to be sent'}</>;
}

function SendAgain({ mail: { id, subject } }: { mail: Mail }) {
  const [copyId, setCopyId] = useState(() => crypto.randomUUID());
  const resend = useMutation({
    mutationFn: () => call('put', '/api/messages/{id}/copies/{copyId}', { path: { id, copyId } }),
    onSuccess: () => {
      setCopyId(crypto.randomUUID());
      return renew('order');
    },
  });
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-label={`Send again: ${subject}`}
        disabled={resend.isPending}
        onClick={() => resend.mutate()}
      >
        Send again
      </button>
      <Outcome of={resend} done="The mail is on its way." />
    </>
  );
}

interface DocumentProps {
  id: string;
  number: number;
}

export const Invoice = ({ id, number }: DocumentProps) => (
  <Document
    called={`Invoice ${number}`}
    check={() => call('get', '/api/orders/{id}/invoice', { path: { id } })}
    address={`./api/orders/${id}/invoice`}
  />
);

export const CreditNote = ({ id, number }: DocumentProps) => (
  <Document
    called={`Credit note ${number}`}
    check={() => call('get', '/api/orders/{id}/credit-notes/{number}', { path: { id, number } })}
    address={`./api/orders/${id}/credit-notes/${number}`}
  />
);

/** Checks that a document exists, then opens it in a new tab. */
function Document({ called, check, address }: { called: string; check: () => Promise<unknown>; address: string }) {
  const open = useMutation({
    mutationFn: check,
    onSuccess: () => {
      window.open(address, '_blank');
    },
  });
  return (
    <p>
      <button type="button" class="quiet" disabled={open.isPending} onClick={() => open.mutate()}>
        {called}
      </button>
      <Outcome of={open} />
    </p>
  );
}
