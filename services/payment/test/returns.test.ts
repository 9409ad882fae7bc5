import { randomUUID } from 'node:crypto';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { cancellationRefundId } from '../src/refund.ts';
import { orderCancelled, stockReserved, testPayments } from './_payments.ts';
import { countsOf, list, orders, paidOrder, refund, tell, usd } from './_refunds.ts';

const database = useDatabase('payment');
const payment = database.open((url) => testPayments(url, { orders }));

interface Told {
  kind: string;
  amount: number;
  remainder: number | undefined;
  state: string | undefined;
}

/** What was announced about returned money, and how the payment stands. */
async function told(orderId: string) {
  const rows = await payment.prisma.outbox.findMany({ where: { key: orderId }, orderBy: { seq: 'asc' } });
  return rows.slice(1).map(({ kind, payload }): Told => {
    const { amount, remainder, state } = JSON.parse(payload);
    return { kind, amount: amount.amount, remainder: remainder?.amount, state };
  });
}

const statusOf = async (orderId: string) => (await payment.stateOf(orderId))[0];

const dispute = (orderId: string, state: 'open' | 'won' | 'lost', amount = 500n) =>
  tell(payment, orderId, (returns, traceparent) => {
    const disputes = [{ id: `dp_${orderId}`, amount, state }];
    returns.recordOutside(orderId, { refunds: [], disputes }, traceparent);
  });

const settled = (orderId: string) => payment.apply(stockReserved(orderId));

/** What can happen to a payment of 9.99. Each may be refused, because of what happened before. */
const acts: Record<string, (orderId: string) => Promise<unknown>> = {
  'a refund of 4.00': async (orderId) => {
    await refund(payment, orderId, { amount: usd(4) });
    await settled(orderId);
  },
  'the cancellation': (orderId) => payment.apply(orderCancelled(orderId)),
  'a dispute of 5.00': (orderId) => dispute(orderId, 'open'),
};

const permutations = (all: string[]): string[][] =>
  all.length <= 1
    ? [all]
    : all.flatMap((one) => permutations(all.filter((other) => other !== one)).map((rest) => [one, ...rest]));

describe.each(permutations(Object.keys(acts)).map((order) => [order.join(', then '), order] as const))(
  '%s',
  (_, order) => {
    it.each(['won', 'lost'] as const)(
      'refunds no disputed money, and announces each cent once, if the dispute is %s',
      async (end) => {
        const orderId = await paidOrder(payment);
        for (const act of order) {
          await acts[act]?.(orderId);
          const { captured, reserved, disputed } = await countsOf(payment, orderId);
          expect(reserved + disputed).toBeLessThanOrEqual(captured);
        }
        const refundsBefore = (await countsOf(payment, orderId)).reserved;
        await dispute(orderId, end);
        await settled(orderId);

        const events = await told(orderId);
        const sum = (kind: string) =>
          events.filter((one) => one.kind === kind).reduce((all, { amount }) => all + amount, 0);
        const { reserved, disputed } = await countsOf(payment, orderId);
        const returned = events.find(({ kind }) => kind === 'PaymentRefunded');
        expect(returned?.amount).toBe(9.99);
        const remainder = returned?.remainder ?? 9.99;
        expect(Math.round((sum('RefundIssued') + remainder) * 100)).toBe(reserved);
        // What was refunded in full before the dispute began cannot be disputed once more.
        expect(reserved + disputed).toBe(999);
        expect(reserved).toBe(end === 'won' ? 999 : refundsBefore);
        expect(events.filter(({ kind }) => kind === 'PaymentRefunded')).toHaveLength(1);
        expect(await statusOf(orderId)).toBe('REFUNDED');
        expect(events.filter(({ kind }) => kind === 'PaymentDisputed').map(({ state }) => state)).toEqual([
          'OPEN',
          end.toUpperCase(),
        ]);
      },
    );
  },
);

describe('the payment of a cancelled order', () => {
  it('is refunded without what was refunded before', async () => {
    const orderId = await paidOrder(payment);
    await refund(payment, orderId, { amount: usd(4) }).expect(201);
    await settled(orderId);
    await payment.apply(orderCancelled(orderId));
    expect(await told(orderId)).toMatchObject([
      { kind: 'RefundIssued', amount: 4 },
      { kind: 'PaymentRefunded', amount: 9.99, remainder: 5.99 },
    ]);
    const refunds = (await list(payment, orderId).expect(200)).body;
    expect(refunds).toMatchObject([{ source: 'operator' }, { source: 'cancellation', amount: usd(5.99), actor: null }]);
    await refund(payment, orderId, { amount: usd(0.01) }).expect(409);
  });

  it('has no remainder if nothing was refunded before, and 0 if everything was', async () => {
    const [whole, parts] = [await paidOrder(payment), await paidOrder(payment)];
    await refund(payment, parts, { amount: usd(9.99) }).expect(201);
    await settled(parts);
    await payment.apply(orderCancelled(whole), orderCancelled(parts));
    expect(await told(whole)).toEqual([{ kind: 'PaymentRefunded', amount: 9.99 }]);
    expect((await told(parts))[1]).toMatchObject({ kind: 'PaymentRefunded', amount: 9.99, remainder: 0 });
  });

  it('waits for a refund whose outcome is not known, and refunds what that could not', async () => {
    const orderId = await paidOrder(payment);
    await tell(payment, orderId, (returns, traceparent) => {
      const refunds = [{ id: 're_1', stepId: undefined, amount: 400n, state: 'pending' as const }];
      returns.recordOutside(orderId, { refunds, disputes: [] }, traceparent);
    });
    // This provider does not know the refund, so that reading it never ends.
    await payment.handle(orderCancelled(orderId));
    expect([await statusOf(orderId), await told(orderId)]).toEqual(['PAID', []]);
    await tell(payment, orderId, (returns, traceparent) => {
      const refunds = [{ id: 're_1', stepId: undefined, amount: 400n, state: 'failed' as const }];
      returns.recordOutside(orderId, { refunds, disputes: [] }, traceparent);
    });
    await until('it is REFUNDED', async () => (await statusOf(orderId)) === 'REFUNDED');
    expect(await told(orderId)).toEqual([{ kind: 'PaymentRefunded', amount: 9.99 }]);
  });

  it('is refunded by the step of the previous release, which has reserved nothing', async () => {
    const orderId = await paidOrder(payment);
    await queryOnce(
      database.url,
      `update payments set cancel_reason = 'x' where order_id = '${orderId}';
       insert into payment_steps (id, lane, order_id, customer_id, payment_id, amount, currency, traceparent, due_at)
       select md5('refund')::uuid, 'refund', order_id, customer_id, payment_id, amount, currency,
              '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', now()
       from payments where order_id = '${orderId}'`,
    );
    await settled(orderId);
    expect(await told(orderId)).toEqual([{ kind: 'PaymentRefunded', amount: 9.99 }]);
    expect(await countsOf(payment, orderId)).toMatchObject({ reserved: 999 });
    expect((await list(payment, orderId)).body).toMatchObject([{ source: 'cancellation', state: 'SUCCEEDED' }]);
  });
});

describe('a refund that the provider refuses', () => {
  // No worker asks the provider here.
  const idle = useDatabase('payment');
  const manual = idle.open((url) => testPayments(url, { orders }));
  const answer = (orderId: string, stepId: string, state: 'succeeded' | 'failed') =>
    tell(manual, orderId, (returns, traceparent) => {
      returns.settle(orderId, { id: `re_${stepId}`, stepId, amount: 1n, state }, traceparent);
    });

  async function paid(): Promise<string> {
    const orderId = randomUUID();
    await manual.handle(stockReserved(orderId));
    await queryOnce(
      idle.url,
      `update payments set status = 'PAID', payment_id = gen_random_uuid() where order_id = '${orderId}'`,
    );
    return orderId;
  }

  it('releases what it reserved, and is shown to operators', async () => {
    const orderId = await paid();
    const { body } = await refund(manual, orderId, { amount: usd(9.99) }).expect(201);
    await refund(manual, orderId, { amount: usd(1) }).expect(409);
    await answer(orderId, body.id, 'failed');
    const failure = expect.stringMatching(/provider/);
    expect((await list(manual, orderId)).body).toMatchObject([{ id: body.id, state: 'FAILED', failure }]);
    expect((await manual.stateOf(orderId)).slice(1)).toEqual([]);
    await refund(manual, orderId, { amount: usd(9.99) }).expect(201);
  });

  it('leaves the payment of a cancelled order PAID until an operator has refunded it', async () => {
    const orderId = await paid();
    await manual.handle(orderCancelled(orderId));
    await answer(orderId, cancellationRefundId(orderId, 0), 'failed');
    await manual.handle(orderCancelled(orderId));
    expect(await manual.stateOf(orderId)).toEqual(['PAID']);
    expect(await countsOf(manual, orderId)).toMatchObject({ reserved: 0 });
    const { body } = await refund(manual, orderId, { amount: usd(9.99) }).expect(201);
    await answer(orderId, body.id, 'succeeded');
    expect(await manual.stateOf(orderId)).toEqual(['REFUNDED', 'RefundIssued', 'PaymentRefunded']);
    expect((await manual.eventsOf(orderId))[1]?.payload).toMatchObject({ amount: usd(9.99), remainder: usd(0) });
  });

  it('because a part was refunded there is made again for what is left, and not for as much', async () => {
    const orderId = await paid();
    await manual.handle(orderCancelled(orderId));
    const refunds = [{ id: 're_outside', stepId: undefined, amount: 400n, state: 'succeeded' as const }];
    await tell(manual, orderId, (returns, traceparent) => {
      const [id, stepId] = ['re_refused', cancellationRefundId(orderId, 0)];
      returns.settle(orderId, { id, stepId, amount: 999n, state: 'failed' }, traceparent);
      returns.recordOutside(orderId, { refunds, disputes: [] }, traceparent);
    });
    const stepOf = (id: string) => manual.prisma.paymentStep.findUnique({ where: { id } });
    expect((await stepOf(cancellationRefundId(orderId, 1)))?.amount.toFixed()).toBe('5.99');
    await answer(orderId, cancellationRefundId(orderId, 1), 'failed');
    expect(await stepOf(cancellationRefundId(orderId, 2))).toBeNull();
    expect(await countsOf(manual, orderId)).toMatchObject({ reserved: 400 });
  });
});

describe('what happens at the provider', () => {
  const refundThere = (orderId: string, state: 'pending' | 'succeeded' | 'failed', amount = 300n) =>
    tell(payment, orderId, (returns, traceparent) => {
      const refunds = [{ id: `re_${orderId}`, stepId: undefined, amount, state }];
      returns.recordOutside(orderId, { refunds, disputes: [] }, traceparent);
    });

  it('is booked once, however often it is told, and in order even if it is told late', async () => {
    const orderId = await paidOrder(payment);
    for (const state of ['pending', 'succeeded', 'succeeded', 'pending'] as const) await refundThere(orderId, state);
    for (const state of ['open', 'won', 'won', 'open'] as const) await dispute(orderId, state);
    expect(await told(orderId)).toMatchObject([
      { kind: 'RefundIssued', amount: 3 },
      { kind: 'PaymentDisputed', amount: 5, state: 'OPEN' },
      { kind: 'PaymentDisputed', amount: 5, state: 'WON' },
    ]);
    expect((await list(payment, orderId)).body).toMatchObject([{ source: 'provider', state: 'SUCCEEDED' }]);
    expect(await countsOf(payment, orderId)).toEqual({ captured: 999, reserved: 300, disputed: 0 });
  });

  it('counts no more than was captured, and more once something else has failed', async () => {
    const orderId = await paidOrder(payment);
    await refundThere(orderId, 'succeeded', 900n);
    await dispute(orderId, 'open', 999n);
    expect(await countsOf(payment, orderId)).toEqual({ captured: 999, reserved: 900, disputed: 99 });
    await refundThere(orderId, 'failed', 900n);
    expect(await countsOf(payment, orderId)).toEqual({ captured: 999, reserved: 0, disputed: 999 });
    await refund(payment, orderId, { amount: usd(1) }).expect(409);
  });

  it('leaves an operator only what is not disputed', async () => {
    const orderId = await paidOrder(payment);
    await dispute(orderId, 'open');
    await refund(payment, orderId, { amount: usd(5) }).expect(409);
    await refund(payment, orderId, { amount: usd(4.99) }).expect(201);
    await dispute(orderId, 'won');
    await refund(payment, orderId, { amount: usd(5) }).expect(201);
  });
});
