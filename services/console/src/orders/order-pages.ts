import { DomainError } from '@store/shared/values/errors';
import { email, uuid } from '@store/shared/values/fields';
import type { DeadLetters } from '../dead-letters/dead-letters.ts';
import { readMs, type Services } from '../services-client.ts';
import type { Invoice, Letter, Mail, OrderRecord, Parts, Payment, Reservation } from './parts.ts';
import { timelineOf } from './timeline.ts';
import { discardedOf, waitingFor } from './waiting.ts';

export type OrderPages = ReturnType<typeof createOrderPages>;

/** Orders of all customers, put together from what each service knows. */
export function createOrderPages(services: Services, deadLetters: DeadLetters) {
  async function lettersOf(orderId: string, problems: string[], withinMs: number): Promise<Letter[]> {
    const groups = await deadLetters.ofOrder(orderId, withinMs);
    problems.push(...groups.flatMap(({ problem }) => problem ?? []));
    return groups.flatMap(({ service, group = service, letters }) =>
      letters.map(({ decisions = [], ...letter }) => ({ ...letter, service, group, decisions })),
    );
  }

  return {
    /**
     * @param sought an order's id, or the e-mail address of a customer
     * @returns the orders, the newest first
     */
    async search(sought: string): Promise<OrderRecord[]> {
      const id = uuid.safeParse(sought).data;
      if (id !== undefined) {
        const order = await services.find('order', `/internal/orders/${id}`);
        return order === undefined ? [] : [order as OrderRecord];
      }
      const address = email.safeParse(sought).data;
      if (address === undefined)
        throw new DomainError('invalid', 'Search for the id of an order or an e-mail address.');
      const found = await services.get('account', `/internal/accounts?email=${encodeURIComponent(address)}`);
      const [account] = found as { id: string }[];
      if (account === undefined) return [];
      return (await services.get('order', `/internal/orders?accountId=${account.id}`)) as OrderRecord[];
    },

    /** Those that are PENDING for too long, the oldest first. */
    stuck: (after: string | undefined) =>
      services.get(
        'order',
        `/internal/stuck-orders${after === undefined ? '' : `?after=${encodeURIComponent(after)}`}`,
      ),

    /**
     * Returns what is known of an order within that time; what is missing is named.
     * @throws DomainError notFound
     */
    async show(id: string, withinMs: number = readMs) {
      const problems: string[] = [];
      const orderless = (error: Error) => {
        if (error instanceof DomainError && error.kind === 'notFound') throw error;
        problems.push(error.message);
      };
      const unlessAway = <T>(work: Promise<unknown>, otherwise: T): Promise<T> =>
        work.then(
          (value) => value as T,
          (error: Error) => {
            problems.push(error.message);
            return otherwise;
          },
        );
      const find = <T>(service: string, path: string) =>
        unlessAway<T | undefined>(services.find(service, path, withinMs), undefined);
      const page = <T>(service: string, path: string) =>
        unlessAway(services.get(service, path, withinMs).then(contentOf<T>), []);
      const [order, reservation, payment, mails, invoices, letters] = await Promise.all([
        services.get('order', `/internal/orders/${id}`, withinMs).catch(orderless),
        find<Reservation>('inventory', `/internal/reservations/${id}`),
        find<Payment>('payment', `/internal/payments/${id}`),
        page<Mail>('notification', `/notifications?orderId=${id}&size=100`),
        page<Invoice>('invoice', `/invoices?orderId=${id}`),
        lettersOf(id, problems, withinMs),
      ]);
      const parts: Parts = {
        ...{ order: order as OrderRecord | undefined, reservation, payment, mails, invoices, letters },
        problems: [...new Set(problems)],
      };
      return {
        ...{ ...parts, order: order ?? null },
        ...{ timeline: timelineOf(parts), waitingFor: waitingFor(parts), discarded: discardedOf(parts) },
      };
    },
  };
}

const contentOf = <T>(page: unknown) => (page as { content: T[] }).content;
