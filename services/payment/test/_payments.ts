import { wholeRefundId } from '@store/shared/contracts/refund';
import { openDatabase } from '@store/shared/database/database';
import { processEvents } from '@store/shared/messaging/consumer/process';
import type { OrderEvent } from '@store/shared/messaging/events';
import { createLog } from '@store/shared/observability/log';
import type { Started } from '@store/shared/service/service';
import { Decimal } from '@store/shared/values/money';
import { receivedEvent, storedEvent } from '../../../tests/kit/kafka/order-events.ts';
import { until } from '../../../tests/kit/until.ts';
import { configSchema } from '../src/config.ts';
import { PrismaClient } from '../src/generated/client.ts';
import type { OrderClient } from '../src/order-client.ts';
import { createBuiltInProvider } from '../src/providers/built-in-provider.ts';
import type { Confirmation, PaymentProvider } from '../src/providers/provider.ts';
import { createPaymentService } from '../src/service.ts';

export const alice = 'a11ce000-3a52-4d0f-9f0e-0d8a55a1c001';
export const limit = '1000';
export const aboveLimit = '1000.01';

const items = [{ productId: '00000000-0000-4000-8000-0000000007ea', quantity: 2 }];

export const stockReserved = (orderId: string, amount = '9.99', more: object = {}) =>
  storedEvent('StockReserved', {
    orderId,
    customerId: alice,
    items,
    total: { amount: new Decimal(amount), currency: 'USD' },
    ...more,
  });

export const orderCancelled = (orderId: string, customerId = alice) =>
  storedEvent('OrderCancelled', { orderId, customerId, reason: 'cancelled by the customer' });

/** The built-in provider, which also records charges and refunds. `afterCharge` and `afterRefund` may delay or lose its answers. */
export function fakeProvider(declineAbove = limit) {
  const findTotal = async () => ({ amount: new Decimal('9.99'), currency: 'USD' });
  const builtIn = createBuiltInProvider({
    declineAbove: new Decimal(declineAbove),
    findTotal,
    actions: { begin: async () => 'WAITING', find: async () => undefined, cancel: async () => undefined },
    actionUrlOf: () => '',
  });
  const taken = new Set<string>();
  const givenBack = new Set<string>();
  const fake = {
    ...builtIn,
    /** The order ids of all calls. */
    charges: [] as string[],
    refunds: [] as string[],
    afterCharge: async (): Promise<void> => undefined,
    afterRefund: async (): Promise<void> => undefined,
    holds: (orderId: string) => taken.has(orderId) && !givenBack.has(orderId),
    /** Unlike the built-in provider, which moves no money, it knows what it has taken. */
    async read(intentId: string) {
      const intent = await builtIn.read(intentId);
      const refund = { id: '', stepId: wholeRefundId(intentId), amount: intent.amount };
      return {
        ...intent,
        state: taken.has(intentId) ? ('captured' as const) : intent.state,
        refunds: givenBack.has(intentId) ? [{ ...refund, state: 'succeeded' as const }] : [],
      };
    },
    async confirm(confirmation: Confirmation) {
      fake.charges.push(confirmation.orderId);
      const intent = await builtIn.confirm(confirmation);
      if (intent.state === 'captured') taken.add(confirmation.orderId);
      await fake.afterCharge();
      return intent;
    },
    async refund(refund: Parameters<PaymentProvider['refund']>[0]) {
      fake.refunds.push(refund.intentId);
      if (!taken.has(refund.intentId)) throw new Error(`There is no intent ${refund.intentId}.`);
      givenBack.add(refund.intentId);
      await fake.afterRefund();
      return builtIn.refund(refund);
    },
  };
  return fake;
}

interface Options {
  /** `own`: the one that is configured. */
  provider?: PaymentProvider | 'own';
  orders?: Partial<OrderClient>;
  clock?: () => Date;
  env?: Record<string, string>;
}

/** Orders without a token, of which nobody wants to know more. */
const noOrders: OrderClient = {
  paymentToken: async () => undefined,
  tellAction: async () => undefined,
  lines: async () => undefined,
  shipped: async () => [],
};

/** The service's real handlers on the given database. */
export function testPayments(
  databaseUrl: string,
  { provider = fakeProvider(), orders, clock = () => new Date(), env }: Options = {},
) {
  const database = openDatabase(PrismaClient, databaseUrl, 20);
  const { prisma } = database;
  const config = configSchema.parse({
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: 'unused:1',
    ORDER_URL: 'http://unused',
    ...env,
  });
  const log = createLog('payment', process.env.TEST_LOG ?? 'silent');
  const { app, consumer, jobs } = createPaymentService(
    { config, log, database },
    { ...(provider !== 'own' && { provider }), orders: { ...noOrders, ...orders }, clock },
  );
  const { group } = consumer;
  const processorOf = (changed = group) => ({
    group: changed,
    database,
    process: (events: OrderEvent[]) => processEvents(changed, database, events),
  });
  type Stored = ReturnType<typeof stockReserved>;
  const outboxOf = (key: string) => prisma.outbox.findMany({ where: { key }, orderBy: { seq: 'asc' } });
  let started: Started[] | undefined;

  /** Begins to ask the provider, as the process does when it starts. */
  function startJobs(): void {
    started ??= jobs.map((job) => job.start(log));
  }

  /** Has the group handle events, and asks the provider nothing. */
  const handle = (...events: Stored[]) => processorOf().process(events.map(receivedEvent));

  const waitFor = (orderIds: string[]) =>
    until(`the provider has answered about ${orderIds.join(', ')}`, async () => {
      const due = await prisma.paymentStep.count({ where: { orderId: { in: orderIds }, dueAt: { not: null } } });
      return due === 0;
    });

  return {
    app,
    database,
    prisma,
    group,
    processorOf,
    startJobs,
    handle,

    /** Has the group handle events, and waits until the provider has answered. */
    async apply(...events: Stored[]) {
      startJobs();
      await handle(...events);
      await waitFor(events.map(({ key }) => key));
    },

    /** Acts like a process that crashes after the handler and before the commit. */
    applyAndCrash(...events: Stored[]) {
      const crashing: typeof group.handle = async (...given) => {
        await group.handle(...given);
        throw new Error('crashed');
      };
      const crashed = processorOf({ ...group, handle: crashing }).process(events.map(receivedEvent));
      return expect(crashed).rejects.toThrow('crashed');
    },

    /**
     * Leaves the step of an order as a process leaves it that dies while it asks the provider, when its lease has ended.
     * @param ask what it still did
     */
    async dieWhileAsking(orderId: string, ask: () => unknown = () => undefined) {
      await prisma.paymentStep.updateMany({ where: { orderId, dueAt: { not: null } }, data: { attempts: 1 } });
      await ask();
    },

    /** Waits for the calls in flight. */
    async stop() {
      for (const one of started ?? []) await one.stop();
      started = undefined;
    },

    /** Has `close` not wait for calls that never end. */
    abandon(): void {
      started = [];
    },

    /** The payment's status and the published kinds. */
    async stateOf(orderId: string) {
      const row = await prisma.payment.findUnique({ where: { orderId } });
      return [row?.status, ...(await outboxOf(orderId)).map(({ kind }) => kind)];
    },
    /** The published events about an order. */
    eventsOf: async (orderId: string) =>
      (await outboxOf(orderId)).map(({ payload, traceparent }) => ({ payload: JSON.parse(payload), traceparent })),
    async close() {
      for (const one of started ?? []) await one.stop();
      await database.close();
    },
  };
}
