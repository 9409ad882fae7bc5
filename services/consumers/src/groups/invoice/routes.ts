import { accountDataRoute } from '@store/shared/contracts/account-data';
import { invoiceOut, sellersInvoiceOut } from '@store/shared/contracts/invoice';
import { invoiceReply, invoiceResponse } from '@store/shared/contracts/invoice-reply';
import { type AnyRoute, ok, route } from '@store/shared/http/route';
import { DomainError, found as foundOr404 } from '@store/shared/values/errors';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { listRoute } from '../../list-routes.ts';
import type { InvoiceRepository } from './invoice-repository.ts';
import type { OrderClient } from './order-client.ts';
import { invoiceQuery } from './schemas.ts';

interface Dependencies extends InvoiceRepository {
  orders: OrderClient;
  /** Name and address, in lines. */
  seller: string;
}

/** The list for operators, and the route for customers to fetch their own invoices (contract 4.10). */
export function invoiceRoutes({ list, find, pageOf, orders, seller }: Dependencies): AnyRoute[] {
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
      path: '/internal/orders/{id}/invoice',
      identity: 'caller',
      params: z.object({ id: uuid }),
      responses: { 200: { description: "The invoice of any customer's order.", body: sellersInvoiceOut } },
      handler: async ({ params: { id } }) => ok({ ...foundOr404(await find(id), `invoice for order ${id}`), seller }),
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
      responses: { 200: invoiceResponse },
      async handler({ accountId, authorization, params: { id }, prefersHtml }) {
        const found = await find(id, accountId);
        const lines = found && (await orders.lines(id, { accountId, authorization }));
        if (found === undefined || lines === undefined)
          throw new DomainError('notFound', `There is no invoice for order ${id}.`);
        return invoiceReply({ ...found, seller, lines }, prefersHtml);
      },
    }),
  ];
}
