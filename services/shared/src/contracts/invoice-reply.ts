import type { z } from 'zod';
import { noStore, ok } from '../http/route.ts';
import { customerInvoiceOut } from './invoice.ts';
import { invoicePage } from './invoice-page.ts';

/** The response 200 of a route that answers with {@link invoiceReply}. */
export const invoiceResponse = {
  description: 'The invoice; with `Accept: text/html`, as a page to print.',
  body: customerInvoiceOut,
  html: true,
  headers: { Vary: '`Accept`' },
} as const;

/** Answers with a complete invoice: as HTML if the client prefers that to JSON. */
export function invoiceReply(invoice: z.input<typeof customerInvoiceOut>, prefersHtml: boolean) {
  const headers = { Vary: 'Accept', ...noStore };
  if (!prefersHtml) return ok(invoice, headers);
  const { page, headers: ofPage } = invoicePage(customerInvoiceOut.parse(invoice));
  return ok({ json: page }, { ...ofPage, ...headers });
}
