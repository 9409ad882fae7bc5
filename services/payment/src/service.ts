import { randomUUID } from 'node:crypto';
import { createHttpApp } from '@store/shared/http/app';
import type { Service, ServiceContext, ServiceDefinition } from '@store/shared/service/service';
import { createBuiltInProvider } from './built-in-provider.ts';
import { configSchema, type PaymentConfig } from './config.ts';
import type { DB } from './generated/tables.ts';
import { createPaymentRepository } from './payment-repository.ts';
import { createPayments } from './payments.ts';
import type { PaymentProvider } from './provider.ts';

interface Replaceable {
  provider?: PaymentProvider;
  clock?: () => Date;
}

export function createPaymentService(
  { config, log, database }: ServiceContext<PaymentConfig, DB>,
  { provider = createBuiltInProvider(config.PAYMENT_DECLINE_ABOVE), clock = () => new Date() }: Replaceable = {},
) {
  const repository = createPaymentRepository(database.kysely);
  const group = createPayments({ repository, provider, clock, newId: randomUUID });
  return {
    app: createHttpApp({ title: 'Payment', routes: [], log, profile: config.APP_PROFILE }),
    consumer: { group, config, publishesAs: 'payment' },
  } satisfies Service<DB>;
}

export const paymentService: ServiceDefinition<typeof configSchema, DB> = {
  name: 'payment',
  configSchema,
  migrations: new URL('../prisma/migrations/', import.meta.url),
  build: (context) => createPaymentService(context),
};
