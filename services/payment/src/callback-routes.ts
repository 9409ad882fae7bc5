import type { Database } from '@store/shared/database/database';
import { type AnyRoute, noContent, route } from '@store/shared/http/route';
import { z } from 'zod';
import { checkChanged } from './changes.ts';
import type { PrismaClient } from './generated/client.ts';
import type { PaymentProvider } from './providers/provider.ts';

/** Takes the provider's callbacks (contract 4.17), if it sends any. Whatever they say, an intent is read. */
export function callbackRoutes(
  { callback }: Pick<PaymentProvider, 'callback'>,
  { inTransaction }: Pick<Database<PrismaClient>, 'inTransaction'>,
): AnyRoute[] {
  if (callback === undefined) return [];
  const { header, changeOf } = callback;
  return [
    route({
      method: 'post',
      path: '/payments/events',
      identity: 'none',
      headers: z.object({ [header]: z.string().min(1).max(4_000) }),
      rawBody: true,
      // The provider's largest has an intent with its charge, and the customer's data.
      bodyKib: 256,
      responses: { 204: { description: 'Its intent is read, if the store has it.' } },
      async handler({ headers, rawBody }) {
        const change = changeOf(rawBody, headers[header] ?? '');
        if (change !== undefined) await inTransaction((tx) => checkChanged(tx, [change]));
        return noContent();
      },
    }),
  ];
}
