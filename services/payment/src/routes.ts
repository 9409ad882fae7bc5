import { accountDataRoute } from '@store/shared/contracts/account-data';
import { paymentRecordOut } from '@store/shared/contracts/order-record';
import { openStepsOut, settlementIn } from '@store/shared/contracts/payment-step';
import { returnedPageOut, returnedStates } from '@store/shared/contracts/refund';
import { type AnyRoute, noContent, ok, problem, route } from '@store/shared/http/route';
import { found } from '@store/shared/values/errors';
import { uuid, wholeNumber } from '@store/shared/values/fields';
import { z } from 'zod';
import type { SettleOpen } from './open-steps.ts';
import type { PaymentRepository } from './payment-repository.ts';
import type { Refunds } from './refunds.ts';
import type { ReturnedRepository } from './returned-repository.ts';
import type { StepRepository } from './step-repository.ts';

interface Parts {
  payments: PaymentRepository;
  refunds: Pick<Refunds, 'record'>;
  returned: ReturnedRepository;
  steps: Pick<StepRepository, 'open'>;
  settleOpen: SettleOpen;
}

/** For operators (contract 4.14) and for the export of an account, on the service's own address. */
export function paymentRoutes({ payments, refunds, returned, steps, settleOpen }: Parts): AnyRoute[] {
  return [
    accountDataRoute(payments.pageOf),
    route({
      method: 'get',
      path: '/internal/payments/{orderId}',
      identity: 'caller',
      params: z.object({ orderId: uuid }),
      responses: { 200: { description: 'The payment.', body: paymentRecordOut } },
      async handler({ params: { orderId } }) {
        const payment = found(await payments.findRecord(orderId), `payment of order ${orderId}`);
        return ok({ ...payment, ...(await refunds.record(orderId)) });
      },
    }),
    route({
      method: 'get',
      path: '/internal/payment-steps',
      identity: 'operator',
      query: z.object({
        state: z.literal('open'),
        size: wholeNumber(1, 100).default(50),
        after: uuid.optional(),
      }),
      responses: { 200: { description: 'Steps that an operator should settle.', body: openStepsOut } },
      handler: async ({ query: { size, after } }) => ok(await steps.open({ size, after })),
    }),
    route({
      method: 'get',
      path: '/internal/returned-money',
      identity: 'operator',
      query: z.object({
        state: z.enum(returnedStates).optional(),
        size: wholeNumber(1, 100).default(50),
        after: z.string().min(1).max(2_000).optional(),
      }),
      responses: { 200: { description: 'Refunds and disputes of all customers.', body: returnedPageOut } },
      handler: async ({ query }) => ok(await returned.page(query)),
    }),
    route({
      method: 'post',
      path: '/internal/payment-steps/{id}/settlement',
      identity: 'operator',
      params: z.object({ id: uuid }),
      body: settlementIn,
      responses: {
        204: { description: 'Settled.' },
        409: problem('The step is not open.'),
      },
      async handler({ actor, params: { id }, body }) {
        await settleOpen(actor, id, body);
        return noContent();
      },
    }),
  ];
}
