import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { until } from '../../../tests/kit/until.ts';
import { checkChanged } from '../src/changes.ts';
import { foreignProvider } from './_foreign-provider.ts';
import { orderCancelled, stockReserved, testPayments } from './_payments.ts';

let provider: ReturnType<typeof foreignProvider>;
let orderId: string;
let token: string | undefined;
let told: string[];

beforeEach(() => {
  provider = foreignProvider();
  orderId = randomUUID();
  token = 'card';
  told = [];
});

const orders = {
  paymentToken: async () => token,
  tellAction: async (_: string, url: string) => void told.push(url),
};
const database = useDatabase('payment');
const payment = database.open((url) => testPayments(url, { provider, orders }), 'each');

const paid = ['PAID', 'OrderPaid'];
const refunded = ['REFUNDED', 'OrderPaid', 'PaymentRefunded'];
const failed = ['FAILED', 'PaymentFailed'];

const state = () => payment.stateOf(orderId);
const charge = () =>
  payment.prisma.paymentStep.findFirstOrThrow({ where: { orderId, lane: { in: ['charge', 'check'] } } });
/** Has the steps of the order be due, as after a pause. */
const hurry = () =>
  payment.prisma.paymentStep.updateMany({ where: { orderId, dueAt: { not: null } }, data: { dueAt: new Date(0) } });
/** Lets time pass for the steps of the order. */
const age = (hours: number) =>
  payment.prisma.$executeRaw`
    update payment_steps set created_at = created_at - ${hours} * interval '1 hour' where order_id = ${orderId}::uuid`;

/** Loses the first call of an operation. */
function loseOnce(operation: string, when: 'before' | 'after'): void {
  let isLost = false;
  provider.fault = (called) => {
    if (called !== operation || isLost) return undefined;
    isLost = true;
    return when;
  };
}

describe('a charge', () => {
  it('stores the intent before it confirms it', async () => {
    let stored: unknown;
    provider.fault = async (operation) => {
      if (operation === 'confirm') stored = await payment.prisma.payment.findUnique({ where: { orderId } });
      return undefined;
    };
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual(paid);
    const [intent] = provider.of(orderId);
    expect(stored).toMatchObject({ status: 'CHARGING', provider: 'foreign', intentId: intent?.id });
    expect(provider.operationsOf(orderId)).toEqual(['createIntent', 'confirm']);
  });

  it('that costs nothing asks nobody', async () => {
    await payment.apply(stockReserved(orderId, '0'));
    await payment.apply(orderCancelled(orderId));
    expect(await state()).toEqual(refunded);
    expect(provider.calls).toEqual([]);
  });

  it('without a token fails, and makes no intent', async () => {
    token = undefined;
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual(failed);
    expect(provider.calls).toEqual([]);
  });

  it('that is declined is cancelled at the provider, so that nobody can confirm it later', async () => {
    token = 'declined';
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual(failed);
    expect(provider.of(orderId)).toMatchObject([{ state: 'cancelled' }]);
    expect((await payment.eventsOf(orderId))[0]?.payload).toMatchObject({ reason: 'the card was declined' });
  });

  it.each([
    ['createIntent', 'before', ['createIntent', 'findIntents', 'createIntent', 'confirm']],
    ['createIntent', 'after', ['createIntent', 'findIntents', 'confirm']],
    ['confirm', 'before', ['createIntent', 'confirm', 'read', 'confirm']],
    ['confirm', 'after', ['createIntent', 'confirm', 'read']],
  ] as const)('whose %s is lost %s its effect is read, and taken once', async (operation, when, operations) => {
    loseOnce(operation, when);
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual(paid);
    expect(provider.operationsOf(orderId)).toEqual(operations);
    expect(provider.holds(orderId)).toBe(999n);
  });

  it('that was declined before its answer was lost is not confirmed again', async () => {
    token = 'declined';
    loseOnce('confirm', 'after');
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual(failed);
    expect(provider.operationsOf(orderId)).toEqual(['createIntent', 'confirm', 'read', 'cancel']);
  });

  it('is not confirmed if its order is cancelled while the intent is made', async () => {
    provider.fault = async (operation) => {
      if (operation === 'createIntent') await payment.handle(orderCancelled(orderId));
      return undefined;
    };
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual(['CANCELLED']);
    expect(provider.operationsOf(orderId)).toEqual(['createIntent', 'cancel']);
  });

  it('is read if its order is cancelled while another worker has an intent of its own', async () => {
    let isFirst = true;
    provider.fault = async (operation) => {
      if (operation !== 'createIntent' || !isFirst) return undefined;
      isFirst = false;
      const input = { orderId, amount: 999n, currency: 'USD', key: randomUUID(), stepId: '' };
      const { id: intentId } = await provider.createIntent(input);
      await payment.prisma.payment.update({ where: { orderId }, data: { provider: 'foreign', intentId } });
      await payment.handle(orderCancelled(orderId));
      await provider.confirm({ ...input, intentId, token, returnUrl: '' });
      return undefined;
    };
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual(refunded);
    expect(provider.holds(orderId)).toBe(0n);
  });

  it('whose outcome is unknown when its order is cancelled is cancelled, or refunded if it was taken', async () => {
    const other = randomUUID();
    provider.fault = (operation, id) => (operation === 'confirm' ? (id === orderId ? 'before' : 'after') : undefined);
    payment.startJobs();
    const both = [orderId, other];
    await payment.handle(...both.map((id) => stockReserved(id)));
    await until('both are unknown', async () =>
      (await payment.prisma.paymentStep.findMany({ where: { orderId: { in: both } } })).every(
        ({ lane }) => lane === 'check',
      ),
    );
    await payment.apply(...both.map((id) => orderCancelled(id)));
    expect(await state()).toEqual(['CANCELLED']);
    expect(await payment.stateOf(other)).toEqual(refunded);
    for (const id of both) expect(provider.holds(id)).toBe(0n);
  });

  it('that a dead worker began is read after the end of its lease, not asked again', async () => {
    await payment.handle(stockReserved(orderId));
    const { id } = await charge();
    await payment.dieWhileAsking(orderId, async () => {
      const intent = await provider.createIntent({ orderId, amount: 999n, currency: 'USD', key: id, stepId: id });
      await payment.prisma.payment.update({ where: { orderId }, data: { provider: 'foreign', intentId: intent.id } });
      const rest = { orderId, amount: 999n, currency: 'USD', returnUrl: '', token };
      await provider.confirm({ ...rest, intentId: intent.id, key: id });
    });
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual(paid);
    expect(provider.operationsOf(orderId)).toEqual(['createIntent', 'confirm', 'read']);
  });

  it('of two workers, of which one is late, confirms one intent', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    let isFirst = true;
    provider.fault = (operation) => {
      if (operation !== 'createIntent' || !isFirst) return undefined;
      isFirst = false;
      return promise;
    };
    payment.startJobs();
    await payment.handle(stockReserved(orderId));
    await until('the first one creates', () => provider.calls.length === 1);
    // Its lease ends while it hangs.
    await hurry();
    await until('the second one is done', async () => (await charge()).dueAt === null);
    resolve(undefined);
    await payment.stop();
    expect(provider.operationsOf(orderId).filter((operation) => operation === 'confirm')).toHaveLength(1);
    expect(provider.holds(orderId)).toBe(999n);
    expect(await state()).toEqual(paid);
  });

  it.each([{ id: 'pi_other' }, { orderId: randomUUID() }, { amount: 1n }, { currency: 'EUR' }])(
    'is not settled by an answer with %j',
    async (wrong) => {
      const { confirm, read } = provider;
      provider.confirm = async (asked) => ({ ...(await confirm(asked)), ...wrong });
      provider.read = async (asked) => ({ ...(await read(asked)), ...wrong });
      payment.startJobs();
      await payment.handle(stockReserved(orderId));
      await until('it was read', async () => (await charge()).attempts > 1);
      expect(await state()).toEqual(['CHARGING']);
      provider.read = read;
      await payment.apply(stockReserved(orderId));
      expect(await state()).toEqual(paid);
    },
  );
});

describe('a key', () => {
  it('for which a failure is stored is given up once reading shows that nothing happened', async () => {
    await payment.handle(stockReserved(orderId));
    const { id } = await charge();
    provider.spent.add(`${id} confirm`);
    payment.startJobs();
    await until('it has another key', async () => (await charge()).keyNumber === 1);
    await hurry();
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual(paid);
    expect(provider.operationsOf(orderId)).toEqual(['createIntent', 'confirm', 'read', 'confirm']);
    expect(provider.holds(orderId)).toBe(999n);
  });

  it.each(['charge', 'refund'])('is not used for a %s that is older than a day', async (kind) => {
    if (kind === 'refund') {
      await payment.apply(stockReserved(orderId));
      await payment.stop();
      await payment.handle(orderCancelled(orderId));
    } else await payment.handle(stockReserved(orderId));
    const [{ id } = { id: '' }] = await payment.prisma.paymentStep.findMany({
      where: { orderId, dueAt: { not: null } },
    });
    await payment.dieWhileAsking(orderId);
    await age(24);
    provider.keys.length = 0;
    payment.startJobs();
    await until('it has another key', async () => {
      const step = await payment.prisma.paymentStep.findUnique({ where: { id } });
      return step?.keyNumber === 1;
    });
    expect(provider.keys).toEqual([]);
    await hurry();
    await payment.apply(kind === 'refund' ? orderCancelled(orderId) : stockReserved(orderId));
    expect(await state()).toEqual(kind === 'refund' ? refunded : paid);
    expect(provider.keys.filter((key) => key.startsWith(id))).toEqual([]);
  });
});

describe('a refund', () => {
  it.each(['before', 'after'] as const)('that is lost %s its effect is read, and made once', async (when) => {
    await payment.apply(stockReserved(orderId));
    loseOnce('refund', when);
    await payment.apply(orderCancelled(orderId));
    expect(await state()).toEqual(refunded);
    expect(provider.holds(orderId)).toBe(0n);
    const operations = provider.operationsOf(orderId).slice(2);
    expect(operations).toEqual(when === 'after' ? ['refund', 'read'] : ['refund', 'read', 'refund']);
  });
});

describe('an action', () => {
  const wait = async () => {
    token = 'action';
    payment.startJobs();
    await payment.handle(stockReserved(orderId));
    await until('order is told', () => told.length > 0);
  };

  it('is told to order, and the payment goes on once the customer has finished', async () => {
    await wait();
    const [intent] = provider.of(orderId);
    expect(told).toEqual([intent?.actionUrl]);
    expect(await payment.prisma.payment.findUnique({ where: { orderId } })).toMatchObject({
      status: 'CHARGING',
      actionUrl: intent?.actionUrl,
    });
    await hurry();
    await until('it was read', () => provider.operationsOf(orderId).includes('read'));
    provider.act(orderId, 'captured');
    await hurry();
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual(paid);
    expect(told).toHaveLength(1);
    expect(await payment.prisma.payment.findUnique({ where: { orderId } })).toMatchObject({ actionUrl: null });
  });

  it('that the customer declines fails the payment', async () => {
    await wait();
    provider.act(orderId, 'declined');
    await hurry();
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual(failed);
  });

  it('ends with its order at once: nothing can be taken any more', async () => {
    await wait();
    // Not due for some time.
    expect((await charge()).dueAt?.getTime()).toBeGreaterThan(Date.now());
    await payment.apply(orderCancelled(orderId));
    expect(await state()).toEqual(['CANCELLED']);
    expect(provider.of(orderId)).toMatchObject([{ state: 'cancelled' }]);
  });

  it('that was finished just before its order was cancelled is refunded', async () => {
    await wait();
    provider.act(orderId, 'captured');
    await payment.apply(orderCancelled(orderId));
    expect(await state()).toEqual(refunded);
    expect(provider.holds(orderId)).toBe(0n);
  });
});

describe('time', () => {
  it('counts anew for a charge that was settled, and is read again because something has happened', async () => {
    await payment.apply(stockReserved(orderId));
    await age(25);
    provider.fault = (operation) => (operation === 'read' ? 'before' : undefined);
    const [intent] = provider.of(orderId);
    const changes = [{ intentId: intent?.id ?? '', of: 'captured' as const }];
    await payment.database.inTransaction((tx) => checkChanged(tx, changes));
    await until('it was read', async () => (await charge()).attempts > 2 || (await charge()).openSince !== null);
    expect(await charge()).toMatchObject({ openSince: null });
    // The age of its key is what it was.
    expect((await charge()).keySince?.getTime()).toBeLessThan(Date.now() - 24 * 3_600_000);
    await age(25);
    await hurry();
    await until('it is OPEN', async () => (await charge()).openSince !== null);
  });

  describe.each(['by the store', 'at the provider'])(
    'has a refund made %s that is pending for a day be OPEN',
    (where) => {
      const own = (at: object) => payment.prisma.paymentStep.findMany({ where: { orderId, ...at } });
      const read = () =>
        payment.database.inTransaction((tx) =>
          checkChanged(tx, [{ intentId: provider.of(orderId)[0]?.id ?? '', of: 'captured' }]),
        );
      const refundState = async () => (await payment.prisma.refund.findFirst({ where: { orderId } }))?.state;

      beforeEach(async () => {
        await payment.apply(stockReserved(orderId));
        provider.refundsAre = 'pending';
        if (where === 'by the store') await payment.handle(orderCancelled(orderId));
        else {
          provider.refundThere(orderId, 400n, 'pending');
          await read();
        }
        await until('the refund is known', async () => (await refundState()) === 'PENDING');
        await until('it was asked for', () => provider.operationsOf(orderId).length > 2);
        await age(23);
        await hurry();
        expect(await own({ openSince: { not: null } })).toEqual([]);
        await age(2);
        await hurry();
        await until('it is OPEN', async () => (await own({ openSince: { not: null } })).length === 1);
      });

      it.each([
        ['refunded', 'failed'],
        ['failed', 'succeeded'],
      ] as const)('and an operator settles it as %s, until the provider says that it has %s', async (outcome, end) => {
        const open = await request(payment.app).get('/internal/payment-steps?state=open&size=100').expect(200);
        const step = open.body.steps.find((one: { orderId: string }) => one.orderId === orderId);
        const amount = { amount: where === 'by the store' ? 9.99 : 4, currency: 'USD' };
        expect(step).toMatchObject({ kind: 'refund', orderId, amount, intentId: provider.of(orderId)[0]?.id });
        const settlement = `/internal/payment-steps/${step.id}/settlement`;
        await request(payment.app).post(settlement).send({ outcome: 'paid', evidence: 'Seen.' }).expect(400);
        await request(payment.app).post(settlement).send({ outcome, evidence: 'Seen.' }).expect(204);
        const settled = await payment.prisma.refund.findFirst({ where: { orderId } });
        expect(settled?.state).toBe(outcome === 'refunded' ? 'SUCCEEDED' : 'FAILED');
        // The provider's own id is kept.
        expect(settled?.providerRef).toMatch(/^re_/);
        provider.endRefunds(orderId, end);
        await read();
        await until('it has ended', async () => (await refundState()) === end.toUpperCase());
        const kinds = await payment.prisma.entry.findMany({ where: { orderId }, orderBy: { at: 'asc' } });
        expect(kinds.map(({ kind }) => kind)).toEqual(
          end === 'failed' ? ['charge', 'refund', 'refund-failed'] : ['charge', 'refund'],
        );
      });

      it.each(['succeeded', 'failed'] as const)(
        'and it is booked once the provider says that it has %s',
        async (end) => {
          provider.endRefunds(orderId, end);
          await read();
          await until('it has ended', async () => (await refundState()) === end.toUpperCase());
          await until('it is not OPEN', async () => (await own({ openSince: { not: null } })).length === 0);
        },
      );
    },
  );

  it('fails no payment: what cannot be read for a day is OPEN, and may still be settled by reading', async () => {
    provider.fault = (operation) => (operation === 'confirm' ? 'after' : operation === 'read' ? 'before' : undefined);
    payment.startJobs();
    await payment.handle(stockReserved(orderId));
    await until('it is unknown', async () => (await charge()).lane === 'check');
    await age(25);
    await hurry();
    await until('it is OPEN', async () => (await charge()).openSince !== null);
    expect(await state()).toEqual(['CHARGING']);
    // Read seldom from now on.
    expect((await charge()).dueAt?.getTime()).toBeGreaterThan(Date.now() + 600_000);
    provider.fault = () => undefined;
    await hurry();
    await payment.apply(stockReserved(orderId));
    expect(await state()).toEqual(paid);
    expect((await charge()).openSince).toBeNull();
  });

  it.each(['processing', 'action'])('fails no payment that has waited at the provider for a day: %s', async (state) => {
    token = state;
    payment.startJobs();
    await payment.handle(stockReserved(orderId));
    await until('it waits', async () => (await charge()).lane === 'check');
    await age(25);
    await hurry();
    await until('it is OPEN', async () => (await charge()).openSince !== null);
    expect(await payment.stateOf(orderId)).toEqual(['CHARGING']);
    provider.act(orderId, 'captured');
    await hurry();
    await until('it is paid', async () => (await payment.stateOf(orderId))[0] === 'PAID');
    expect((await charge()).openSince).toBeNull();
  });
});
