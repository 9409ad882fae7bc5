import type { z } from 'zod';
import type { htmlPage } from '../http/html.ts';
import { noStore, ok } from '../http/route.ts';
import { wholeCreditNoteOut } from './credit-note.ts';
import { creditNotePage, invoicePage } from './document-pages.ts';
import { customerInvoiceOut } from './invoice.ts';

const headers = { Vary: '`Accept`' };

/** The response 200 of a route that answers with {@link invoiceReply}. */
export const invoiceResponse = {
  description: 'The invoice; with `Accept: text/html`, as a page to print.',
  body: customerInvoiceOut,
  html: true,
  headers,
} as const;

/** The response 200 of a route that answers with {@link creditNoteReply}. */
export const creditNoteResponse = {
  description: 'The credit note; with `Accept: text/html`, as a page to print.',
  body: wholeCreditNoteOut,
  html: true,
  headers,
} as const;

/** Answers with a complete invoice: as HTML if the client prefers that to JSON. */
export const invoiceReply = (invoice: z.input<typeof customerInvoiceOut>, prefersHtml: boolean) =>
  reply(invoice, prefersHtml, () => invoicePage(customerInvoiceOut.parse(invoice)));

/** Answers with a complete credit note, like {@link invoiceReply}. */
export const creditNoteReply = (note: z.input<typeof wholeCreditNoteOut>, prefersHtml: boolean) =>
  reply(note, prefersHtml, () => creditNotePage(wholeCreditNoteOut.parse(note)));

function reply<Document>(document: Document, prefersHtml: boolean, print: () => ReturnType<typeof htmlPage>) {
  const common = { Vary: 'Accept', ...noStore };
  if (!prefersHtml) return ok(document, common);
  const { page, headers: ofPage } = print();
  return ok({ json: page }, { ...ofPage, ...common });
}
