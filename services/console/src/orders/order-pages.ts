import { accountOut } from '@store/shared/contracts/account';
import { invoiceOut } from '@store/shared/contracts/invoice';
import { notificationOut } from '@store/shared/contracts/notification';
import { pageOf } from '@store/shared/http/pagination';
import { DomainError } from '@store/shared/values/errors';
import { email, uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import type { DeadLetters } from '../dead-letters/dead-letters.ts';
import { collecting, readMs, type Services } from '../services-client.ts';
import type { Parts } from './parts.ts';
import { anyOrder, anyOrderRecord, anyPayment, anyReservation, anyStuckOrders } from './schemas.ts';
import { timelineOf } from './timeline.ts';
import { discardedOf, waitingFor } from './waiting.ts';

export type OrderPages = ReturnType<typeof createOrderPages>;

/** Orders of all customers, put together from what each service knows. */
export function createOrderPages(services: Services, deadLetters: DeadLetters) {
  return {
    /**
     * @param sought an order's id, or the e-mail address of a customer
     * @returns the orders, the newest first
     */
    async search(operator: string, sought: string): Promise<z.output<typeof anyOrder>[]> {
      const id = uuid.safeParse(sought).data;
      if (id !== undefined) {
        const order = await services.find('order', `/internal/orders/${id}`, anyOrderRecord, { operator });
        return order === undefined ? [] : [order];
      }
      const address = email.safeParse(sought).data;
      if (address === undefined)
        throw new DomainError('invalid', 'Search for the id of an order or an e-mail address.');
      const path = `/internal/accounts?email=${encodeURIComponent(address)}`;
      const [account] = await services.get('account', path, z.array(accountOut), { operator });
      if (account === undefined) return [];
      return services.get('order', `/internal/orders?accountId=${account.id}`, z.array(anyOrder), { operator });
    },

    /** Those that are PENDING for too long, the oldest first. */
    stuck: (after: string | undefined) =>
      services.get(
        'order',
        `/internal/stuck-orders${after === undefined ? '' : `?after=${encodeURIComponent(after)}`}`,
        anyStuckOrders,
      ),

    /**
     * Returns what is known of an order within that time; what is missing is named.
     * @throws DomainError notFound
     */
    async show(operator: string, id: string, withinMs: number = readMs) {
      const asked = { timeoutMs: withinMs, operator };
      const { or, problems } = collecting();
      const find = <T>(service: string, path: string, schema: z.ZodType<T>) =>
        or(undefined, services.find(service, path, schema, asked));
      const page = async <T>(service: string, path: string, schema: z.ZodType<T>) =>
        (await or({ content: [] }, services.get(service, path, pageOf(schema), asked))).content;
      const findOrder = services.get('order', `/internal/orders/${id}`, anyOrderRecord, asked).catch((error) => {
        if (error instanceof DomainError && error.kind === 'notFound') throw error;
        return or(undefined, Promise.reject(error));
      });
      const [order, reservation, payment, mails, invoices, groups] = await Promise.all([
        findOrder,
        find('inventory', `/internal/reservations/${id}`, anyReservation),
        find('payment', `/internal/payments/${id}`, anyPayment),
        page('notification', `/notifications?orderId=${id}&size=100`, notificationOut),
        page('invoice', `/invoices?orderId=${id}`, invoiceOut),
        deadLetters.ofOrder(id, withinMs),
      ]);
      problems.push(...groups.flatMap(({ problem }) => problem ?? []));
      const letters = groups.flatMap(({ service, group, letters }) =>
        letters.map(({ decisions = [], ...letter }) => ({ ...letter, service, group, decisions })),
      );
      const parts: Parts = { order, reservation, payment, mails, invoices, letters, problems: [...new Set(problems)] };
      return {
        order: order ?? null,
        timeline: timelineOf(parts),
        waitingFor: waitingFor(parts),
        letters,
        discarded: discardedOf(parts),
        problems: parts.problems,
      };
    },
  };
}
