import { accountOut } from '@store/shared/contracts/account';
import { creditNoteOut, wholeCreditNoteOut } from '@store/shared/contracts/credit-note';
import { type customerInvoiceOut, invoiceOut, sellersInvoiceOut } from '@store/shared/contracts/invoice';
import { notificationOut } from '@store/shared/contracts/notification';
import { shipmentOut } from '@store/shared/contracts/order';
import { refundRecordOut } from '@store/shared/contracts/refund';
import { pageOf } from '@store/shared/http/pagination';
import { DomainError } from '@store/shared/values/errors';
import { email } from '@store/shared/values/fields';
import { Decimal } from '@store/shared/values/money';
import { z } from 'zod';
import { accountNames, accountsIn, nameIn } from '../accounts/accounts.ts';
import type { DeadLetters } from '../dead-letters/dead-letters.ts';
import { collecting, readMs, type Services } from '../services-client.ts';
import type { Parts } from './parts.ts';
import {
  anyOrder,
  anyOrderRecord,
  anyPayment,
  anyReservation,
  anyStuckOrders,
  type foundOut,
  type OrdersQuery,
  type ordersOut,
  type RefundOrderIn,
  type shipmentFields,
  type stuckPageOut,
} from './schemas.ts';
import { timelineOf } from './timeline.ts';
import { discardedOf, waitingFor } from './waiting.ts';

const nameMs = 1_000;

export type OrderPages = ReturnType<typeof createOrderPages>;

/** Orders of all customers, combined from the answers of all services. */
export function createOrderPages(services: Services, deadLetters: DeadLetters) {
  /** Names of accounts by id. It does not wait long, since the page can show the id instead. */
  const namesOf = (ids: string[], asked: Parameters<Services['get']>[3]): Promise<Map<string, string>> =>
    accountNames(services, ids, { ...asked, timeoutMs: nameMs }).catch(() => new Map());

  type Orders = z.output<typeof anyOrder>[];
  const named = (orders: Orders, names: ReadonlyMap<string, string>) =>
    orders.map((order) => ({ ...order, customerName: names.get(order.customerId) ?? null }));
  const customerIdsOf = (orders: Orders) => orders.map(({ customerId }) => customerId);
  const withNames = async (orders: Orders, operator: string) =>
    named(orders, await namesOf(customerIdsOf(orders), { operator }));

  return {
    /**
     * Finds orders by the id, the part of it that customers see, or the invoice number; finds customers by name and e-mail address.
     */
    async search(operator: string, sought: string): Promise<z.output<typeof foundOut>> {
      const { or, problems } = collecting();
      const asked = { operator };
      const [, digits] = /^(?:order\s+)?#?([\da-f-]{8,36})$/i.exec(sought) ?? [];
      const [, number] = /^(?:(?:invoice|inv)[\s-]*)?#?(\d{1,15})$/i.exec(sought) ?? [];
      const byId = async () =>
        digits === undefined
          ? []
          : services.get('order', `/internal/orders?idPrefix=${digits}`, z.array(anyOrder), asked);
      async function byInvoice() {
        if (number === undefined || Number(number) === 0) return [];
        const { content } = await services.get(
          'invoice',
          `/invoices?number=${Number(number)}`,
          pageOf(invoiceOut),
          asked,
        );
        const found = content.map(({ orderId }) =>
          services.get('order', `/internal/orders?idPrefix=${orderId}`, z.array(anyOrder), asked),
        );
        return (await Promise.all(found)).flat();
      }
      async function customersOf() {
        if (number !== undefined) return [];
        const name = email.safeParse(sought).success ? 'email' : 'q';
        const path = `/internal/accounts?${new URLSearchParams({ [name]: sought })}`;
        return services.get('account', path, z.array(accountOut), asked);
      }
      const [own, invoiced, customers] = await Promise.all([
        or([], byId()),
        or([], byInvoice()),
        or([], customersOf()),
      ]);
      const orders = [...new Map([...own, ...invoiced].map((order) => [order.id, order])).values()];
      return {
        orders: await withNames(orders, operator),
        customers: customers.map(({ id, name, email }) => ({ id, name, email })),
        problems,
      };
    },

    /** A page of the orders of all customers, newest first. */
    async list(operator: string, { customer, ...filters }: OrdersQuery): Promise<z.output<typeof ordersOut>> {
      const given = new URLSearchParams();
      for (const [name, value] of Object.entries({ ...filters, accountId: customer }))
        if (value !== undefined) given.set(name, value);
      const path = `/internal/orders?${given}`;
      const { body: orders, next = null } = await services.call('GET', 'order', path, z.array(anyOrder), { operator });
      const names = await namesOf([...customerIdsOf(orders), ...(customer === undefined ? [] : [customer])], {
        operator,
      });
      return {
        orders: named(orders, names),
        next,
        customer: (customer !== undefined && names.get(customer)) || null,
      };
    },

    /** Cancels an order on behalf of the store. Idempotent. */
    async cancel(operator: string, id: string, reason: string): Promise<void> {
      await services.call('POST', 'order', `/internal/orders/${id}/cancellation`, anyOrder, {
        operator,
        body: { reason },
      });
    },

    /** Refunds lines of an order, or an amount. A repetition with the same key makes no second refund. */
    async refund(operator: string, id: string, key: string, { lines, amount, reason }: RefundOrderIn): Promise<void> {
      const money = amount && { amount: new Decimal(amount.amount), currency: amount.currency };
      await services.call('POST', 'payment', `/internal/orders/${id}/refunds`, refundRecordOut, {
        operator,
        body: { lines, amount: money, reason },
        headers: { 'idempotency-key': key },
      });
    },

    /** Ships a paid order. A repetition is refused, as it was shipped. */
    async ship(operator: string, id: string, body: z.output<typeof shipmentFields>): Promise<void> {
      await services.call('POST', 'order', `/internal/orders/${id}/shipments`, shipmentOut, { operator, body });
    },

    /** Leaves a note. A repetition with the same id does not add a second note. */
    async note(operator: string, id: string, noteId: string, text: string): Promise<void> {
      const path = `/internal/orders/${id}/notes/${noteId}`;
      await services.call('PUT', 'order', path, z.undefined(), { operator, body: { text } });
    },

    /** Has a message mailed again. A repetition with the same copy id does not send a second mail. */
    async resend(operator: string, mailId: string, copyId: string): Promise<void> {
      const path = `/internal/notifications/${mailId}/copies/${copyId}`;
      await services.call('PUT', 'notification', path, z.undefined(), { operator });
    },

    /** The invoice of an order as the customer sees it. @throws DomainError notFound, unavailable */
    async invoice(operator: string, id: string): Promise<z.output<typeof customerInvoiceOut>> {
      const [{ items }, invoice] = await Promise.all([
        services.get('order', `/internal/orders/${id}`, anyOrderRecord, { operator }),
        services.get('invoice', `/internal/orders/${id}/invoice`, sellersInvoiceOut, { operator }),
      ]);
      return { ...invoice, lines: items };
    },

    /** A credit note of an order as the customer sees it. @throws DomainError notFound, unavailable */
    creditNote: (operator: string, id: string, number: number): Promise<z.output<typeof wholeCreditNoteOut>> =>
      services.get('invoice', `/internal/orders/${id}/credit-notes/${number}`, wholeCreditNoteOut, { operator }),

    /** Orders that have been PENDING for too long, oldest first. */
    async stuck(operator: string, after: string | undefined): Promise<z.output<typeof stuckPageOut>> {
      const path = `/internal/stuck-orders${after === undefined ? '' : `?after=${encodeURIComponent(after)}`}`;
      const page = await services.get('order', path, anyStuckOrders, { operator });
      return { ...page, orders: await withNames(page.orders, operator) };
    },

    /**
     * Returns what the services tell about an order within that time, and names the services that did not answer.
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
      const [found, names, reservation, payment, mails, invoices, credited, groups] = await Promise.all([
        findOrder,
        findOrder.then(
          (order) =>
            namesOf(order ? [order.customerId, ...accountsIn(order.notes.map(({ actor }) => actor))] : [], asked),
          () => new Map<string, string>(),
        ),
        find('inventory', `/internal/reservations/${id}`, anyReservation),
        find('payment', `/internal/payments/${id}`, anyPayment),
        page('notification', `/notifications?orderId=${id}&size=100`, notificationOut),
        page('invoice', `/invoices?orderId=${id}`, invoiceOut),
        // The invoice service of the previous release has no such path.
        find('invoice', `/credit-notes?orderId=${id}&size=100&sort=number,asc`, pageOf(creditNoteOut)),
        deadLetters.ofOrder(id, withinMs),
      ]);
      const order = found && {
        ...found,
        notes: found.notes.map((note) => ({ ...note, actor: nameIn(note.actor, names) })),
      };
      problems.push(...groups.flatMap(({ problem }) => problem ?? []));
      const deciders = groups.flatMap(({ letters }) => letters.flatMap(({ decisions = [] }) => decisions));
      const refunders = payment?.refunds.flatMap(({ actor }) => actor ?? []) ?? [];
      const actors = [...deciders.map(({ requestedBy }) => requestedBy), ...refunders];
      const decidedBy = await namesOf(accountsIn(actors), asked);
      const refunds = (payment?.refunds ?? []).map((refund) => ({
        ...refund,
        actor: refund.actor && nameIn(refund.actor, decidedBy),
      }));
      const paid = payment && { ...payment, refunds };
      const letters = groups.flatMap(({ service, group, letters }) =>
        letters.map(({ decisions = [], ...letter }) => ({
          ...letter,
          service,
          group,
          decisions: decisions.map((one) => ({ ...one, requestedBy: nameIn(one.requestedBy, decidedBy) })),
        })),
      );
      const creditNotes = credited?.content ?? [];
      const documents = { invoices, creditNotes };
      const parts: Parts = {
        order,
        reservation,
        payment: paid,
        mails,
        ...documents,
        letters,
        problems: [...new Set(problems)],
      };
      return {
        order: order ?? null,
        customer: (order && names.get(order.customerId)) ?? null,
        mails: mails.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)),
        invoices: invoices.map(({ number }) => number),
        creditNotes: creditNotes.map(({ number }) => number),
        payment: paid ? { status: paid.status, amount: paid.amount } : null,
        refunds,
        disputes: paid?.disputes ?? [],
        timeline: timelineOf(parts),
        waitingFor: waitingFor(parts),
        letters,
        discarded: discardedOf(parts),
        problems: parts.problems,
      };
    },
  };
}
