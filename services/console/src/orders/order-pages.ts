import { DomainError } from '@store/shared/values/errors';
import { email, uuid } from '@store/shared/values/fields';
import type { DeadLetters } from '../dead-letters/dead-letters.ts';
import type { Services } from '../services-client.ts';
import type { Invoice, Letter, Mail, OrderRecord, Parts, Payment, Reservation } from './parts.ts';
import { timelineOf, waitingFor } from './timeline.ts';

export type OrderPages = ReturnType<typeof createOrderPages>;

/** Orders of all customers, put together from what each service knows. */
export function createOrderPages(services: Services, deadLetters: DeadLetters) {
  async function lettersOf(orderId: string, problems: string[]): Promise<Letter[]> {
    const groups = await deadLetters.list();
    problems.push(...groups.flatMap(({ problem }) => problem ?? []));
    return groups.flatMap(({ service, group = service, letters }) =>
      letters.filter((letter) => letter.orderId === orderId).map((letter) => ({ ...letter, group })),
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

    async show(id: string) {
      const order = (await services.get('order', `/internal/orders/${id}`)) as OrderRecord;
      const problems: string[] = [];
      const unlessAway = <T>(work: Promise<unknown>, otherwise: T): Promise<T> =>
        work.then(
          (value) => value as T,
          (error: Error) => {
            problems.push(error.message);
            return otherwise;
          },
        );
      const [reservation, payment, mails, invoices, letters] = await Promise.all([
        unlessAway<Reservation | undefined>(services.find('inventory', `/internal/reservations/${id}`), undefined),
        unlessAway<Payment | undefined>(services.find('payment', `/internal/payments/${id}`), undefined),
        unlessAway(services.get('notification', `/notifications?orderId=${id}&size=100`).then(contentOf<Mail>), []),
        unlessAway(services.get('invoice', `/invoices?orderId=${id}`).then(contentOf<Invoice>), []),
        unlessAway(lettersOf(id, problems), []),
      ]);
      const parts: Parts = { order, reservation, payment, mails, invoices, letters, problems };
      return { ...parts, timeline: timelineOf(parts), waitingFor: waitingFor(parts) };
    },
  };
}

const contentOf = <T>(page: unknown) => (page as { content: T[] }).content;
