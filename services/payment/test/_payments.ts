import { openDatabase } from '@store/shared/database/database';
import type { ConsumerGroup } from '@store/shared/messaging/consumer/group';
import { processEvents } from '@store/shared/messaging/consumer/process';
import type { OrderEvent } from '@store/shared/messaging/events';
import { createLog } from '@store/shared/observability/log';
import { Decimal } from '@store/shared/values/money';
import { receivedEvent, storedEvent } from '../../../tests/kit/kafka/order-events.ts';
import { createBuiltInProvider } from '../src/built-in-provider.ts';
import { configSchema } from '../src/config.ts';
import type { Answers } from '../src/consumer-group.ts';
import { PrismaClient } from '../src/generated/client.ts';
import type { PaymentProvider } from '../src/provider.ts';
import { createPaymentService } from '../src/service.ts';

export const alice = 'a11ce000-3a52-4d0f-9f0e-0d8a55a1c001';
export const limit = '1000';
export const aboveLimit = '1000.0001';

const items = [{ productId: '00000000-0000-4000-8000-0000000007ea', quantity: 2 }];

export const stockReserved = (orderId: string, amount = '9.99') =>
  storedEvent('StockReserved', {
    orderId,
    customerId: alice,
    items,
    total: { amount: new Decimal(amount), currency: 'USD' },
  });

export const orderCancelled = (orderId: string, customerId = alice) =>
  storedEvent('OrderCancelled', { orderId, customerId, reason: 'cancelled by the customer' });

/** The built-in provider, which also records charges and refunds. `afterCharge` and `afterRefund` may delay or lose its answers. */
export function fakeProvider(declineAbove = limit) {
  const builtIn = createBuiltInProvider(new Decimal(declineAbove));
  const taken = new Set<string>();
  const givenBack = new Set<string>();
  const fake = {
    /** The order ids of all calls. */
    charges: [] as string[],
    refunds: [] as string[],
    afterCharge: async (): Promise<void> => undefined,
    afterRefund: async (): Promise<void> => undefined,
    holds: (orderId: string) => taken.has(orderId) && !givenBack.has(orderId),
    async charge(charge) {
      fake.charges.push(charge.orderId);
      const result = await builtIn.charge(charge);
      if (result.ok) taken.add(charge.orderId);
      await fake.afterCharge();
      return result;
    },
    async refund(refund) {
      fake.refunds.push(refund.orderId);
      const charge = await builtIn.charge({ ...refund, customerId: '' });
      if (!taken.has(refund.orderId) || !charge.ok || charge.paymentId !== refund.paymentId) {
        throw new Error(`There is no payment ${refund.paymentId}.`);
      }
      givenBack.add(refund.orderId);
      await fake.afterRefund();
    },
  } satisfies PaymentProvider & Record<string, unknown>;
  return fake;
}

interface Options {
  provider?: PaymentProvider;
  clock?: () => Date;
  env?: Record<string, string>;
}

/** The service's real handlers on the given database. */
export function testPayments(
  databaseUrl: string,
  { provider = fakeProvider(), clock = () => new Date(), env }: Options = {},
) {
  const database = openDatabase(PrismaClient, databaseUrl, 20);
  const { prisma } = database;
  const config = configSchema.parse({ DATABASE_URL: databaseUrl, KAFKA_BROKERS: 'unused:1', ...env });
  const context = { config, log: createLog('payment', 'silent'), database };
  const { app, consumer } = createPaymentService(context, { provider, clock });
  const { group } = consumer;
  const processorOf = (changed: ConsumerGroup<PrismaClient, Answers> = group) => ({
    group: changed,
    database,
    process: (events: OrderEvent[]) => processEvents(changed, database, events),
  });
  type Stored = ReturnType<typeof stockReserved>;
  const outboxOf = (key: string) => prisma.outbox.findMany({ where: { key }, orderBy: { seq: 'asc' } });

  return {
    app,
    prisma,
    group,
    processorOf,
    apply: (...events: Stored[]) => processorOf().process(events.map(receivedEvent)),

    /** Acts like a process that crashes after the handler and before the commit. */
    applyAndCrash(...events: Stored[]) {
      const handle: typeof group.handle = async (...given) => {
        await group.handle(...given);
        throw new Error('crashed');
      };
      const crashed = processorOf({ ...group, handle }).process(events.map(receivedEvent));
      return expect(crashed).rejects.toThrow('crashed');
    },

    /** The payment's status and the published kinds. */
    async stateOf(orderId: string) {
      const row = await prisma.payment.findUnique({ where: { orderId } });
      return [row?.status, ...(await outboxOf(orderId)).map(({ kind }) => kind)];
    },
    /** The published events about an order. */
    eventsOf: async (orderId: string) =>
      (await outboxOf(orderId)).map(({ payload, traceparent }) => ({ payload: JSON.parse(payload), traceparent })),
    close: database.close,
  };
}
