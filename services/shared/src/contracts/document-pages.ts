import type { z } from 'zod';
import { type Html, html, htmlPage } from '../http/html.ts';
import { type Decimal, inDecimals } from '../values/money.ts';
import type { wholeCreditNoteOut } from './credit-note.ts';
import type { customerInvoiceOut } from './invoice.ts';

// Invoices and credit notes to print, made from text only.

const style = `
@page { margin: 2cm }
body { font: 11pt/1.5 system-ui, sans-serif; max-width: 45rem; margin: 2rem auto; padding: 0 1rem; color: #000; background: #fff }
address { font-style: normal; white-space: pre-line }
table { width: 100%; border-collapse: collapse; margin-bottom: 1.5rem }
caption { text-align: left; font-weight: bold }
th, td { padding: .3rem 0 .3rem 1rem; text-align: right; font-variant-numeric: tabular-nums }
th:first-child, td:first-child { padding-left: 0; text-align: left; overflow-wrap: anywhere }
thead { display: table-header-group }
tr { break-inside: avoid; border-bottom: 1px solid #999 }
tfoot { display: table-row-group; font-weight: bold }
@media print { body { margin: 0; padding: 0; max-width: none } }
`;

type Page = ReturnType<typeof htmlPage>;
type Invoice = z.output<typeof customerInvoiceOut>;
type CreditNote = z.output<typeof wholeCreditNoteOut>;

export function invoicePage(invoice: Invoice): Page {
  const { lines, amount } = invoice;
  const inWords = (value: Decimal) => inDecimals(value, amount.currency);
  const rows = lines.map(
    ({ productId, name, sku, quantity, unitPrice }) =>
      html`<tr><td>${name ?? productId}${sku === null ? '' : html`<br><small>${sku}</small>`}</td><td>${quantity}</td><td>${inWords(unitPrice.amount)}</td><td>${inWords(unitPrice.amount.times(quantity))}</td></tr>`,
  );
  return documentPage(
    `Invoice ${invoice.number}`,
    invoice,
    [],
    html`<table><thead><tr><th scope="col">Product</th><th scope="col">Quantity</th><th scope="col">Price</th><th scope="col">Amount</th></tr></thead>
<tbody>${rows}</tbody>
<tfoot><tr><th scope="row" colspan="3">Total, ${amount.currency}</th><td>${inWords(amount.amount)}</td></tr></tfoot></table>`,
  );
}

export function creditNotePage(note: CreditNote): Page {
  const { amount, invoiceNumber } = note;
  return documentPage(
    `Credit note ${note.number}`,
    note,
    [html`<br>For invoice ${invoiceNumber}`],
    html`<table><tfoot><tr><th scope="row">Returned, ${amount.currency}</th><td>${inDecimals(amount.amount, amount.currency)}</td></tr></tfoot></table>`,
  );
}

/** @param about further lines below the date @param body what the document is about, above its taxes */
function documentPage(title: string, document: Invoice | CreditNote, about: Html[], body: Html): Page {
  const { seller, sellerTaxNumber, createdAt, orderId, taxes = [], amount } = document;
  const taxNumber = sellerTaxNumber === undefined ? [] : [html`<p>Tax number: ${sellerTaxNumber}</p>`];
  return htmlPage(
    title,
    style,
    html`<header><address>${seller}</address>${taxNumber}</header>
<main><h1>${title}</h1>
<p>Date: <time datetime="${createdAt}">${createdAt.slice(0, 10)}</time> (UTC)${about}<br>Order: ${orderId}</p>
${body}${taxTable(taxes, amount.currency)}</main>`,
  );
}

function taxTable(taxes: NonNullable<Invoice['taxes']>, currency: string): Html[] {
  if (taxes.length === 0) return [];
  const inWords = (value: Decimal) => inDecimals(value, currency);
  const rows = taxes.map(
    ({ permille, net, tax, gross }) =>
      html`<tr><td>${permille / 10} %</td><td>${inWords(net)}</td><td>${inWords(tax)}</td><td>${inWords(gross)}</td></tr>`,
  );
  return [
    html`<table><caption>Tax included, ${currency}</caption><thead><tr><th scope="col">Rate</th><th scope="col">Net</th><th scope="col">Tax</th><th scope="col">Gross</th></tr></thead>
<tbody>${rows}</tbody></table>`,
  ];
}
