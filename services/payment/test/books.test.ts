import { randomUUID } from 'node:crypto';
import { sql } from '@store/shared/database/sql';
import fc from 'fast-check';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { openAnyDatabase } from '../../../tests/kit/postgres/open-database.ts';
import { addUpBalances, readBalances } from '../src/books/balance-repository.ts';
import { type BookedRefund, bookOn } from '../src/books/entry-repository.ts';

const postgres = useDatabase('payment', 'each');
const database = postgres.open((url) => openAnyDatabase(url, 10), 'each');

const at = new Date('2026-03-04T05:06:07.089Z');
type Books = ReturnType<typeof bookOn>;
const book = (work: (books: Books) => void) => database.inTransaction((tx) => work(bookOn(tx)));

const charge = (orderId: string, amount: bigint, tax = 0n, currency = 'USD') => ({
  stepId: randomUUID(),
  orderId,
  currency,
  amount,
  tax,
  at,
});

/** The balance of each account in a currency, without those that are zero. */
async function balances(currency = 'USD'): Promise<Record<string, number>> {
  const rows = await readBalances(database);
  return Object.fromEntries(
    rows.flatMap((row) => (row.currency === currency && row.amount !== '0' ? [[row.account, Number(row.amount)]] : [])),
  );
}

const counted = () =>
  queryOnce<{ account: string; currency: string; amount: string }>(
    postgres.url,
    'select account, currency, sum(amount)::text as amount from entry_lines group by 1, 2 order by 1, 2',
  );

const unbalanced = () =>
  queryOnce(postgres.url, 'select entry, currency from entry_lines group by entry, currency having sum(amount) <> 0');

describe('an order in the books', () => {
  it('is owed when it is charged, and earned with its tax when it is shipped', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    await book((books) => books.charged([charge(first, 11900n, 1900n), charge(second, 500n)]));
    expect(await balances()).toEqual({ provider: 12400, unearned: -12400 });
    await book((books) => books.shipped([first, second].map((orderId) => ({ orderId, at }))));
    expect(await balances()).toEqual({ provider: 12400, revenue: -10500, tax: -1900 });
  });

  it('keeps currencies and every digit apart', async () => {
    const largest = 10n ** 28n - 1n;
    await book((books) =>
      books.charged([charge(randomUUID(), largest, 0n, 'CLF'), charge(randomUUID(), 7n, 0n, 'JPY')]),
    );
    expect(await readBalances(database)).toEqual([
      { account: 'provider', currency: 'CLF', amount: String(largest) },
      { account: 'provider', currency: 'JPY', amount: '7' },
      { account: 'unearned', currency: 'CLF', amount: String(-largest) },
      { account: 'unearned', currency: 'JPY', amount: '-7' },
    ]);
  });

  it('of nothing has entries without lines', async () => {
    const orderId = randomUUID();
    await book((books) => books.charged([charge(orderId, 0n)]));
    await book((books) => books.shipped([{ orderId, at }]));
    expect(await counted()).toEqual([]);
    expect(await queryOnce(postgres.url, 'select kind from entries order by kind')).toEqual([
      { kind: 'charge' },
      { kind: 'shipment' },
    ]);
  });

  it('is booked once, however often its facts are repeated, in one transaction or several', async () => {
    const orderId = randomUUID();
    const taken = charge(orderId, 1000n, 160n);
    const refund = charge(orderId, 250n, 40n);
    const dispute = { disputeId: 'dp_1', orderId, currency: 'USD', amount: 100n, state: 'won' as const, at };
    const facts: ((books: Books) => void)[] = [
      (books) => books.charged([taken]),
      (books) => books.refunded(refund),
      (books) => books.disputed(dispute),
      (books) => books.shipped([{ orderId, at }]),
      (books) => books.refundFailed(refund),
    ];
    for (const fact of facts) await book(fact);
    const once = await counted();
    for (const fact of facts) await book(fact);
    await book(async (books) => {
      for (const fact of facts) for (let count = 0; count < 2; count += 1) await fact(books);
    });
    expect(await counted()).toEqual(once);
    expect(once).toEqual([
      { account: 'disputes', currency: 'USD', amount: '0' },
      { account: 'provider', currency: 'USD', amount: '1000' },
      { account: 'refunds', currency: 'USD', amount: '-210' },
      { account: 'revenue', currency: 'USD', amount: '-630' },
      { account: 'tax', currency: 'USD', amount: '-160' },
      { account: 'unearned', currency: 'USD', amount: '0' },
    ]);
  });

  it('that is not in the books is not shipped there, and is owed when it comes', async () => {
    const orderId = randomUUID();
    await book((books) => books.shipped([{ orderId, at }]));
    expect(await counted()).toEqual([]);
    await book((books) => books.charged([charge(orderId, 100n)]));
    expect(await balances()).toEqual({ provider: 100, unearned: -100 });
    await book((books) => books.shipped([{ orderId, at }]));
    expect(await balances()).toEqual({ provider: 100, revenue: -100 });
  });
});

describe('a refund in the books', () => {
  it('before the shipment reduces what the shipment moves', async () => {
    const orderId = randomUUID();
    await book((books) => books.charged([charge(orderId, 1000n, 160n)]));
    await book((books) => books.refunded(charge(orderId, 250n, 40n)));
    expect(await balances()).toEqual({ provider: 750, unearned: -750 });
    await book((books) => books.shipped([{ orderId, at }]));
    expect(await balances()).toEqual({ provider: 750, revenue: -630, tax: -120 });
  });

  it('after the shipment reduces tax, and is kept apart from revenue', async () => {
    const orderId = randomUUID();
    await book((books) => books.charged([charge(orderId, 1000n, 160n)]));
    await book((books) => books.shipped([{ orderId, at }]));
    await book((books) => books.refunded(charge(orderId, 250n, 40n)));
    expect(await balances()).toEqual({ provider: 750, revenue: -840, refunds: 210, tax: -120 });
  });

  it('that the provider could not pay out is owed again, or earned again', async () => {
    const [unshipped, shipped] = [randomUUID(), randomUUID()];
    const refunds = [charge(unshipped, 250n, 40n), charge(shipped, 250n, 40n)] as const;
    await book((books) => books.charged([charge(unshipped, 1000n, 160n), charge(shipped, 1000n, 160n)]));
    await book((books) => books.shipped([{ orderId: shipped, at }]));
    for (const refund of refunds) {
      await book((books) => books.refunded(refund));
      await book((books) => books.refundFailed(refund));
    }
    expect(await balances()).toEqual({ provider: 2000, unearned: -1000, revenue: -840, tax: -160 });
  });

  it.each(['refund', 'shipment'])(
    'and a shipment at once leave nothing owed, when the %s comes first',
    async (first) => {
      const orderId = randomUUID();
      await book((books) => books.charged([charge(orderId, 1000n, 160n)]));
      const facts = {
        refund: (books: Books) => books.refunded(charge(orderId, 250n, 40n)),
        shipment: (books: Books) => books.shipped([{ orderId, at }]),
      };
      const second = first === 'refund' ? 'shipment' : 'refund';
      let other: Promise<void> | undefined;
      await book(async (books) => {
        await facts[first as keyof typeof facts](books);
        other = book(facts[second]);
        // The other one waits for this transaction.
        await untilBlocked();
      });
      await other;
      const [{ owed } = { owed: '' }] = await queryOnce<{ owed: string }>(
        postgres.url,
        "select coalesce(sum(amount), 0)::text as owed from entry_lines where account = 'unearned'",
      );
      expect(owed).toBe('0');
      expect(await balances()).toEqual(
        first === 'refund'
          ? { provider: 750, revenue: -630, tax: -120 }
          : { provider: 750, revenue: -840, refunds: 210, tax: -120 },
      );
    },
  );
});

describe('a dispute in the books', () => {
  const dispute = (orderId: string, state: 'open' | 'won' | 'lost') => ({
    disputeId: `dp_${orderId}`,
    orderId,
    currency: 'USD',
    amount: 1000n,
    state,
    at,
  });

  it.each([true, false])('takes the money, and returns it when it is won; shipped: %s', async (isShipped) => {
    const orderId = randomUUID();
    await book((books) => books.charged([charge(orderId, 1000n, 160n)]));
    if (isShipped) await book((books) => books.shipped([{ orderId, at }]));
    const before = await balances();
    await book((books) => books.disputed(dispute(orderId, 'open')));
    expect(await balances()).toEqual({ ...before, provider: undefined, disputes: 1000 });
    await book((books) => books.disputed(dispute(orderId, 'won')));
    expect(await balances()).toEqual(before);
  });

  it('that is lost is a loss of a shipped order, and ends what is owed to another', async () => {
    const [shipped, unshipped] = [randomUUID(), randomUUID()];
    await book((books) => books.charged([charge(shipped, 1000n, 160n), charge(unshipped, 1000n, 160n)]));
    await book((books) => books.shipped([{ orderId: shipped, at }]));
    // Seen first when it is lost.
    for (const orderId of [shipped, unshipped]) await book((books) => books.disputed(dispute(orderId, 'lost')));
    expect(await balances()).toEqual({ revenue: -840, tax: -160, disputes: 1000 });
  });
});

describe('the database', () => {
  const entry = (id: string) =>
    `insert into entries (id, order_id, kind, at) values ('${id}', '${id}', 'charge', now());`;
  const line = (id: string, account: string, amount: number, currency = 'USD') =>
    `insert into entry_lines (entry, account, currency, amount) values ('${id}', '${account}', '${currency}', ${amount});`;

  it('refuses an entry whose lines do not sum to zero in each currency, at the commit', async () => {
    const id = randomUUID();
    const write = (...lines: string[]) => queryOnce(postgres.url, `begin;${entry(id)}${lines.join('')}commit`);
    for (const lines of [
      [line(id, 'provider', 1)],
      [line(id, 'provider', 2), line(id, 'unearned', -1)],
      [line(id, 'provider', 1), line(id, 'unearned', -1, 'EUR')],
    ]) {
      await expect(write(...lines)).rejects.toThrow(`The lines of entry ${id} do not sum to zero`);
    }
    await write(line(id, 'provider', 2), line(id, 'revenue', -1), line(id, 'tax', -1));
    expect(await balances()).toEqual({ provider: 2, revenue: -1, tax: -1 });
  });

  it('refuses lines of an entry that is committed, or is not there', async () => {
    const id = randomUUID();
    await queryOnce(postgres.url, `begin;${entry(id)}${line(id, 'provider', 1)}${line(id, 'unearned', -1)}commit`);
    const refused = 'A line needs an entry of its own transaction';
    const late = `begin;${line(id, 'revenue', 1)}${line(id, 'tax', -1)}commit`;
    await expect(queryOnce(postgres.url, late)).rejects.toThrow(refused);
    await expect(queryOnce(postgres.url, line(randomUUID(), 'tax', 1))).rejects.toThrow(refused);
  });

  it.each(['entries', 'entry_lines'])(
    'refuses to change, delete or truncate %s, for a superuser too',
    async (table) => {
      const id = randomUUID();
      await queryOnce(postgres.url, `begin;${entry(id)}${line(id, 'provider', 1)}${line(id, 'unearned', -1)}commit`);
      for (const statement of [
        `update ${table} set ${table === 'entries' ? "kind = 'refund'" : 'amount = 5'}`,
        `delete from ${table}`,
        `truncate ${table}`,
      ]) {
        await expect(queryOnce(postgres.url, statement)).rejects.toThrow('books are only appended to');
      }
      // Nor when there is nothing to change.
      await expect(queryOnce(postgres.url, `delete from ${table} where false`)).rejects.toThrow('only appended to');
    },
  );
});

describe('balances', () => {
  it('are the same before, while and after changes are added up, also by two at once', async () => {
    const orders = Array.from({ length: 20 }, () => randomUUID() as string);
    for (const orderId of orders) await book((books) => books.charged([charge(orderId, 100n)]));
    const expected = { provider: 2000, unearned: -2000 };
    expect(await balances()).toEqual(expected);
    await Promise.all([addUpBalances(database), addUpBalances(database)]);
    expect(await balances()).toEqual(expected);
    await book((books) => books.shipped([{ orderId: orders[0] ?? '', at }]));
    expect(await balances()).toEqual({ provider: 2000, unearned: -1900, revenue: -100 });
    await addUpBalances(database);
    expect(await balances()).toEqual({ provider: 2000, unearned: -1900, revenue: -100 });
    expect(await queryOnce(postgres.url, 'select from balance_changes')).toEqual([]);
  });
});

/** What happens to one of the orders. `part` is a share of what is left, in thousandths. */
const fact = fc.record({
  order: fc.nat({ max: 4 }),
  what: fc.constantFrom('ship', 'refund', 'fail', 'dispute', 'win', 'lose', 'repeat'),
  part: fc.integer({ min: 1, max: 1000 }),
});

type Fact = typeof fact extends fc.Arbitrary<infer One> ? One : never;

it('hold every fact of random orders exactly once: sums of zero, what the provider holds, what is owed', async () => {
  const run = async (orders: { amount: bigint; permille: number; currency: string }[], facts: Fact[]) => {
    const before = await counted();
    const known = orders.map(({ amount, permille, currency }) => ({
      ...charge(randomUUID(), amount, (amount * BigInt(permille)) / 1000n, currency),
      held: amount,
      owed: amount,
      isShipped: false,
      left: amount,
      refunds: [] as BookedRefund[],
      disputes: [] as { disputeId: string; amount: bigint; isOver: boolean }[],
    }));
    const done: ((books: Books) => void)[] = [(books) => books.charged(known)];
    for (const { order, what, part } of facts) {
      const one = known[order % known.length];
      if (one === undefined) continue;
      const { orderId, currency } = one;
      const amount = (one.left * BigInt(part)) / 1000n;
      const open = one.disputes.find(({ isOver }) => !isOver);
      const about = { orderId, currency, at };
      if (what === 'ship' && !one.isShipped) {
        one.isShipped = true;
        one.owed = 0n;
        done.push((books) => books.shipped([{ orderId, at }]));
      } else if (what === 'refund' && amount > 0n) {
        const refund = { ...charge(orderId, amount, (one.tax * amount) / one.amount, currency) };
        one.refunds.push(refund);
        one.left -= amount;
        one.held -= amount;
        if (!one.isShipped) one.owed -= amount;
        done.push((books) => books.refunded(refund));
      } else if (what === 'fail') {
        const refund = one.refunds.pop();
        if (refund === undefined) continue;
        one.left += refund.amount;
        one.held += refund.amount;
        if (!one.isShipped) one.owed += refund.amount;
        done.push((books) => books.refundFailed(refund));
      } else if (what === 'dispute' && open === undefined && amount > 0n) {
        const dispute = { disputeId: randomUUID(), amount, isOver: false };
        one.disputes.push(dispute);
        one.left -= amount;
        one.held -= amount;
        done.push((books) => books.disputed({ ...about, ...dispute, state: 'open' }));
      } else if ((what === 'win' || what === 'lose') && open !== undefined) {
        open.isOver = true;
        if (what === 'win') {
          one.held += open.amount;
          one.left += open.amount;
        } else if (!one.isShipped) one.owed -= open.amount;
        const state = what === 'win' ? ('won' as const) : ('lost' as const);
        done.push((books) => books.disputed({ ...about, ...open, state }));
      } else if (what === 'repeat') {
        const again = done[part % done.length];
        if (again) done.push(again);
      }
    }
    for (const step of done) {
      await book(step);
      expect(await unbalanced()).toEqual([]);
    }
    const since = (account: string, currency: string, rows: typeof before) =>
      BigInt(rows.find((row) => row.account === account && row.currency === currency)?.amount ?? 0);
    const after = await counted();
    for (const currency of ['USD', 'JPY', 'KWD']) {
      const of = known.filter((one) => one.currency === currency);
      const sum = (values: bigint[]) => values.reduce((all, value) => all + value, 0n);
      const change = (account: string) => since(account, currency, after) - since(account, currency, before);
      expect(change('provider')).toBe(sum(of.map(({ held }) => held)));
      expect(-change('unearned')).toBe(sum(of.map(({ owed }) => owed)));
    }
    const rows = await readBalances(database);
    expect(rows).toEqual(after);
    const owed = await queryOnce<{ currency: string; owed: string }>(
      postgres.url,
      'select currency, sum(amount)::text as owed from unearned group by currency',
    );
    for (const row of owed) expect(BigInt(row.owed)).toBe(-since('unearned', row.currency, after));
  };
  const order = fc.record({
    amount: fc.bigInt({ min: 1n, max: 10n ** 9n }),
    permille: fc.constantFrom(0, 70, 190),
    currency: fc.constantFrom('USD', 'JPY', 'KWD'),
  });
  const orders = fc.array(order, { minLength: 1, maxLength: 5 });
  await fc.assert(fc.asyncProperty(orders, fc.array(fact, { maxLength: 25 }), run), { numRuns: 40 });
});

async function untilBlocked(): Promise<void> {
  const waiting = () =>
    database.lists.run<{ count: number }>(sql`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
  while ((await waiting())[0]?.count === 0);
}
