import { useQuery } from '@tanstack/preact-query';
import { type AnswerTo, call } from '../api/call.ts';
import { Search } from '../parts/form.tsx';
import { Answer, money, OrderLink, Problems, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import { count } from '../parts/values.ts';
import { OpenSteps } from './open-steps.tsx';
import { Returned } from './returned.tsx';

type Books = AnswerTo<'showBooks'>;
type Reconciliations = Books['reconciliations'];
type Difference = Reconciliations[number]['differences'][number];

/** What each account holds, for people who are no bookkeepers. */
const meanings: Record<string, string> = {
  provider: 'held by the payment provider',
  unearned: 'paid, not shipped yet',
  revenue: 'shipped, without tax',
  tax: 'tax on what was shipped',
  refunds: 'refunded after shipping',
  disputes: 'disputed, or lost in disputes',
};

const cases: Record<Difference['what'], string> = {
  'missing-here': 'Missing in the books',
  'missing-there': 'Missing at the provider',
  different: 'Different',
};

/** @param order whose entries are shown */
export function Books({ order }: { order: string | undefined }) {
  const books = useQuery({ queryKey: ['books'], queryFn: () => call('get', '/api/books', {}) });
  return (
    <>
      <h1>Books</h1>
      <Search
        label="Order"
        button="Show entries"
        onSearch={(id) => {
          location.hash = id === '' ? '#/books' : `#/books/${id}`;
        }}
      />
      {order !== undefined && <Entries order={order} key={order} />}
      <OpenSteps />
      <Answer of={books}>
        {({ balances, unbooked, problems, reconciliations }) => (
          <>
            <Problems texts={problems} />
            {unbooked > 0 && <p role="status">{count(unbooked)} payments are not in the books yet.</p>}
            <section class="card" aria-label="Balances">
              <h2>Balances</h2>
              <Table
                rows={balances}
                keyOf={({ account, balance }) => `${account} ${balance.currency}`}
                empty={<p>Nothing is booked yet.</p>}
                columns={{
                  Account: ({ account }) => account,
                  Meaning: ({ account }) => meanings[account] ?? '',
                  Balance: ({ balance }) => money(balance),
                }}
              />
            </section>
            <Reconciliation parts={reconciliations} />
          </>
        )}
      </Answer>
      <Returned />
    </>
  );
}

function Reconciliation({ parts }: { parts: Reconciliations }) {
  const [first, last] = [parts[0], parts.at(-1)];
  const differences = parts.flatMap((part) => part.differences);
  const total = parts.reduce((sum, part) => sum + part.missingHere + part.missingThere + part.different, 0);
  const problems = [...new Set(parts.flatMap((part) => part.problems))];
  return (
    <section class="card" aria-label="Reconciliation">
      <h2>Last reconciliation</h2>
      {first === undefined || last === undefined ? (
        <p>
          There was none yet. <code>make reconcile</code> compares the provider's list with the books.
        </p>
      ) : (
        <>
          <p>
            <Time at={last.at} />: from <Time at={first.from} /> to <Time at={last.to} />.{' '}
            {last.hasList
              ? `${count(total)} differences.`
              : 'The built-in provider keeps no list, so only the books were checked.'}
          </p>
          <Problems texts={problems} />
          <Table
            rows={differences}
            keyOf={({ kind, subject, there, here }) => `${kind} ${subject} ${there?.id} ${here?.id}`}
            columns={{
              Order: ({ subject }) => (isOrder(subject) ? <OrderLink id={subject} /> : <code>{subject}</code>),
              What: ({ what }) => cases[what],
              Kind: ({ kind }) => kind,
              'At the provider': ({ there }) => <Movement of={there} />,
              'In the books': ({ here }) => <Movement of={here} />,
            }}
          />
          {total > differences.length && <p class="note">Only the first of each period are listed.</p>}
        </>
      )}
    </section>
  );
}

const isOrder = (subject: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(subject);

const Movement = ({ of }: { of: Difference['there'] }) =>
  of === null ? (
    <>–</>
  ) : (
    <>
      {money(of.amount)}, <Time at={of.at} />
    </>
  );

function Entries({ order }: { order: string }) {
  const entries = useQuery({
    queryKey: ['entries', order],
    queryFn: () => call('get', '/api/books/{orderId}', { path: { orderId: order } }),
  });
  return (
    <section class="card" aria-label="Entries">
      <h2>
        Order <OrderLink id={order} />
      </h2>
      <Answer of={entries}>
        {(data) => (
          <Table
            rows={data.flatMap(({ id, kind, at, lines }) => lines.map((line) => ({ id, kind, at, ...line })))}
            keyOf={({ id, account }) => `${id} ${account}`}
            empty={<p role="status">The books have no such order.</p>}
            columns={{
              Entry: ({ kind }) => kind,
              When: ({ at }) => <Time at={at} />,
              Account: ({ account }) => account,
              Debit: ({ amount }) => (amount.amount > 0 ? money(amount) : ''),
              Credit: ({ amount }) => (amount.amount < 0 ? money({ ...amount, amount: -amount.amount }) : ''),
            }}
          />
        )}
      </Answer>
    </section>
  );
}
