import type { z } from 'zod';
import { html, htmlPage } from '../http/html.ts';
import { type Decimal, inDecimals } from '../values/money.ts';
import type { customerInvoiceOut } from './invoice.ts';

const style = `
@page { margin: 2cm }
body { font: 11pt/1.5 system-ui, sans-serif; max-width: 45rem; margin: 2rem auto; padding: 0 1rem; color: #000; background: #fff }
address { font-style: normal; white-space: pre-line }
table { width: 100%; border-collapse: collapse }
th, td { padding: .3rem 0 .3rem 1rem; text-align: right; font-variant-numeric: tabular-nums }
th:first-child, td:first-child { padding-left: 0; text-align: left; overflow-wrap: anywhere }
thead { display: table-header-group }
tr { break-inside: avoid; border-bottom: 1px solid #999 }
tfoot { display: table-row-group; font-weight: bold }
@media print { body { margin: 0; padding: 0; max-width: none } }
`;

/** Makes an invoice to print, from text only. */
export function invoicePage({
  number,
  createdAt,
  orderId,
  seller,
  lines,
  amount,
}: z.output<typeof customerInvoiceOut>): ReturnType<typeof htmlPage> {
  const inWords = (value: Decimal) => inDecimals(value, amount.currency);
  const rows = lines.map(
    ({ productId, name, quantity, unitPrice }) =>
      html`<tr><td>${name ?? productId}</td><td>${quantity}</td><td>${inWords(unitPrice.amount)}</td><td>${inWords(unitPrice.amount.times(quantity))}</td></tr>`,
  );
  return htmlPage(
    `Invoice ${number}`,
    style,
    html`<header><address>${seller}</address></header>
<main><h1>Invoice ${number}</h1>
<p>Date: <time datetime="${createdAt}">${createdAt.slice(0, 10)}</time> (UTC)<br>Order: ${orderId}</p>
<table><thead><tr><th scope="col">Product</th><th scope="col">Quantity</th><th scope="col">Price</th><th scope="col">Amount</th></tr></thead>
<tbody>${rows}</tbody>
<tfoot><tr><th scope="row" colspan="3">Total, ${amount.currency}</th><td>${inWords(amount.amount)}</td></tr></tfoot></table></main>`,
  );
}
