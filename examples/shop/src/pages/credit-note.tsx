import type { Output } from '@store-platform/client';
import { DocumentPage, Print, Seller } from '../parts/document-page.tsx';
import { TaxTable } from '../parts/tax-table.tsx';
import { money } from '../shop/money.ts';
import { store } from '../shop/store.ts';

type CreditNote = Output<'getCreditNote'>;

/** A credit note of an order, ready to print. */
export function CreditNotePage({ id, number }: { id: string; number: number }) {
  return (
    <DocumentPage
      orderId={id}
      title="Credit note"
      missing="There is no such credit note."
      ask={(signal) => store.getCreditNote({ path: { id, number } }, { signal })}
    >
      {(note) => <Sheet note={note} />}
    </DocumentPage>
  );
}

function Sheet({ note }: { note: CreditNote }) {
  const { number, createdAt, orderId, invoiceNumber, seller, sellerTaxNumber, taxes, amount } = note;
  return (
    <article class="invoice" aria-labelledby="credit-note-title">
      <Seller seller={seller} sellerTaxNumber={sellerTaxNumber} />
      <h1 id="credit-note-title" tabIndex={-1}>
        Credit note {number}
      </h1>
      <p>
        Date: <time dateTime={createdAt}>{createdAt.slice(0, 10)}</time> (UTC)
        <br />
        For invoice {invoiceNumber}
        <br />
        Order: {orderId}
      </p>
      <table>
        <tfoot>
          <tr>
            <th scope="row">Returned</th>
            <td>{money(amount.amount, amount.currency)}</td>
          </tr>
        </tfoot>
      </table>
      {taxes && <TaxTable taxes={taxes} currency={amount.currency} />}
      <Print />
    </article>
  );
}
