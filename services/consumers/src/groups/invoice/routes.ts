import { accountDataRoute } from '@store/shared/contracts/account-data';
import { customerInvoiceOut, invoiceOut } from '@store/shared/contracts/invoice';
import { type AnyRoute, ok, route } from '@store/shared/http/route';
import { DomainError } from '@store/shared/values/errors';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { listRoute } from '../../list-routes.ts';
import { invoicePage } from './invoice-page.ts';
import type { InvoiceRepository } from './invoice-repository.ts';
import type { Customer, OrderClient } from './order-client.ts';
import { invoiceQuery } from './schemas.ts';

interface Dependencies extends InvoiceRepository {
  orders: OrderClient;
  /** Name and address, a line each. */
  seller: string;
}

/** Makes the list for operators, and the route by which customers get their own invoices (contract 4.10). */
export function invoiceRoutes({ list, find, pageOf, orders, seller }: Dependencies): AnyRoute[] {
  async function read(orderId: string, customer: Customer) {
    const invoice = await find(orderId, customer.accountId);
    const lines = invoice && (await orders.lines(orderId, customer));
    if (invoice !== undefined && lines !== undefined) return { ...invoice, seller, lines };
    throw new DomainError('notFound', `There is no invoice for the order ${orderId}.`);
  }

  return [
    accountDataRoute(pageOf),
    listRoute({
      path: '/invoices',
      operationId: 'listInvoices',
      summary: 'List invoices',
      page: 'InvoicePage',
      query: invoiceQuery,
      item: invoiceOut,
      list,
    }),
    route({
      method: 'get',
      path: '/orders/{id}/invoice',
      operationId: 'getInvoice',
      summary: 'Fetch the invoice of one of your orders',
      tag: 'orders',
      identity: 'account',
      scope: 'orders:read',
      params: z.object({ id: uuid }),
      responses: {
        200: {
          description: 'The invoice; as a page to be printed with `Accept: text/html`.',
          body: customerInvoiceOut,
          page: true,
          headers: { Vary: '`Accept`' },
        },
      },
      async handler({ accountId, authorization, params: { id }, prefersPage }) {
        const invoice = await read(id, { accountId, authorization });
        const headers = { Vary: 'Accept', 'Cache-Control': 'no-store' };
        if (!prefersPage) return ok(invoice, headers);
        const { page, headers: ofPage } = invoicePage(customerInvoiceOut.parse(invoice));
        return { status: 200 as const, page, headers: { ...ofPage, ...headers } };
      },
    }),
  ];
}
