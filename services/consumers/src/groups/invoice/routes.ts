import { accountDataRoute } from '@store/shared/contracts/account-data';
import { creditNoteOut, creditNotesOut, wholeCreditNoteOut } from '@store/shared/contracts/credit-note';
import {
  creditNoteReply,
  creditNoteResponse,
  invoiceReply,
  invoiceResponse,
} from '@store/shared/contracts/document-replies';
import { invoiceOut, sellersInvoiceOut } from '@store/shared/contracts/invoice';
import type { RecordLook } from '@store/shared/database/audit';
import type { Page } from '@store/shared/database/read-page';
import { nextLink, nextPage } from '@store/shared/http/pagination';
import { type AnyRoute, noStore, ok, route } from '@store/shared/http/route';
import { DomainError, found as foundOr404 } from '@store/shared/values/errors';
import { listRoute } from '../../list-routes.ts';
import type { CreditNoteRepository } from './credit-note-repository.ts';
import type { InvoiceRepository } from './invoice-repository.ts';
import type { OrderClient } from './order-client.ts';
import { creditNoteParams, creditNoteQuery, creditNotesOfOrderQuery, invoiceQuery, orderParams } from './schemas.ts';

interface Dependencies {
  invoices: InvoiceRepository;
  creditNotes: CreditNoteRepository;
  orders: OrderClient;
  seller: {
    /** Name and address, in lines. */
    seller: string;
    sellerTaxNumber?: string;
  };
  recordLook: RecordLook;
}

/**
 * The lists for operators, the routes for customers to fetch their own documents (contract 4.10), and those for the bookkeeping of the
 * store (contract 4.21).
 */
export const documentRoutes = (dependencies: Dependencies): AnyRoute[] => [
  accountDataRoute(dependencies.invoices.pageOf),
  ...invoiceRoutes(dependencies),
  ...creditNoteRoutes(dependencies),
  ...storeDocumentRoutes(dependencies),
];

function invoiceRoutes({ invoices, orders, seller }: Dependencies): AnyRoute[] {
  return [
    listRoute({
      path: '/invoices',
      operationId: 'listInvoices',
      summary: 'List invoices',
      page: 'InvoicePage',
      query: invoiceQuery,
      item: invoiceOut,
      list: invoices.list,
    }),
    route({
      method: 'get',
      path: '/internal/orders/{id}/invoice',
      identity: 'caller',
      params: orderParams,
      responses: { 200: { description: "The invoice of any customer's order.", body: sellersInvoiceOut } },
      handler: async ({ params: { id } }) =>
        ok({ ...foundOr404(await invoices.find(id), `invoice for order ${id}`), ...seller }),
    }),
    route({
      method: 'get',
      path: '/orders/{id}/invoice',
      operationId: 'getInvoice',
      summary: 'Fetch the invoice of one of your orders',
      tag: 'orders',
      identity: 'account',
      scope: 'orders:read',
      params: orderParams,
      responses: { 200: invoiceResponse },
      async handler({ accountId, authorization, params: { id }, prefersHtml }) {
        const found = await invoices.find(id, accountId);
        const lines = found && (await orders.lines(id, { accountId, authorization }));
        if (found === undefined || lines === undefined)
          throw new DomainError('notFound', `There is no invoice for order ${id}.`);
        return invoiceReply({ ...found, ...seller, lines }, prefersHtml);
      },
    }),
  ];
}

function creditNoteRoutes({ creditNotes, orders, seller }: Dependencies): AnyRoute[] {
  const noCreditNote = (id: string, number: number) => `credit note ${number} for order ${id}`;

  return [
    listRoute({
      path: '/credit-notes',
      operationId: 'listCreditNotes',
      summary: 'List credit notes',
      page: 'CreditNotePage',
      query: creditNoteQuery,
      item: creditNoteOut,
      list: creditNotes.list,
    }),
    route({
      method: 'get',
      path: '/internal/orders/{id}/credit-notes/{number}',
      identity: 'caller',
      params: creditNoteParams,
      responses: { 200: { description: "A credit note of any customer's order.", body: wholeCreditNoteOut } },
      async handler({ params: { id, number } }) {
        const found = await creditNotes.find(id, number, null);
        return ok({ ...foundOr404(found, noCreditNote(id, number)), ...seller });
      },
    }),
    route({
      method: 'get',
      path: '/orders/{id}/credit-notes',
      operationId: 'getCreditNotes',
      summary: 'List the credit notes of one of your orders',
      tag: 'orders',
      identity: 'account',
      scope: 'orders:read',
      params: orderParams,
      query: creditNotesOfOrderQuery,
      responses: {
        200: { description: 'One page of the list, the oldest first.', body: creditNotesOut, headers: nextPage },
      },
      async handler({ accountId, authorization, params: { id }, query, url }) {
        foundOr404(await orders.lines(id, { accountId, authorization }), `order ${id}`);
        return pageReply(await creditNotes.pageOf(id, accountId, accountId, query), url);
      },
    }),
    route({
      method: 'get',
      path: '/orders/{id}/credit-notes/{number}',
      operationId: 'getCreditNote',
      summary: 'Fetch a credit note of one of your orders',
      tag: 'orders',
      identity: 'account',
      scope: 'orders:read',
      params: creditNoteParams,
      responses: { 200: creditNoteResponse },
      async handler({ accountId, authorization, params: { id, number }, prefersHtml }) {
        const found = await creditNotes.find(id, number, accountId);
        const lines = found && (await orders.lines(id, { accountId, authorization }));
        const note = foundOr404(lines && found, noCreditNote(id, number));
        return creditNoteReply({ ...note, ...seller }, prefersHtml);
      },
    }),
  ];
}

const pageReply = ({ rows, next }: Page<{ json: string }>, url: string) =>
  ok({ json: `[${rows.map(({ json }) => json).join()}]` }, { ...nextLink(url, next), ...noStore });

const ofStore = {
  method: 'get',
  tag: 'store',
  identity: 'account',
  role: 'operator',
  scope: 'orders:all',
  params: orderParams,
} as const;

function storeDocumentRoutes({ invoices, creditNotes, seller, recordLook }: Dependencies): AnyRoute[] {
  return [
    route({
      ...ofStore,
      path: '/store/orders/{id}/invoice',
      operationId: 'getStoreInvoice',
      summary: "Fetch the invoice of any customer's order",
      responses: { 200: { description: 'The invoice, without lines: the order has them.', body: sellersInvoiceOut } },
      async handler({ actor, params: { id } }) {
        const invoice = foundOr404(await invoices.find(id), `invoice for order ${id}`);
        await recordLook(actor, id, 'order');
        return ok({ ...invoice, ...seller }, noStore);
      },
    }),
    route({
      ...ofStore,
      path: '/store/orders/{id}/credit-notes',
      operationId: 'listStoreCreditNotes',
      summary: "List the credit notes of any customer's order",
      query: creditNotesOfOrderQuery,
      responses: {
        200: {
          description: 'One page of the list, the oldest first.',
          body: creditNotesOut,
          headers: nextPage,
        },
      },
      async handler({ accountId, actor, params: { id }, query, url }) {
        foundOr404(await invoices.find(id), `invoice for order ${id}`);
        await recordLook(actor, id, 'order');
        return pageReply(await creditNotes.pageOf(id, null, accountId, query), url);
      },
    }),
  ];
}
