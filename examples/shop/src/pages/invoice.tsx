import type { Output } from '@store-platform/client';
import { DocumentPage, Print, Seller } from '../parts/document-page.tsx';
import { TaxTable } from '../parts/tax-table.tsx';
import { lineSum, money } from '../shop/money.ts';
import { store } from '../shop/store.ts';

type Invoice = Output<'getInvoice'>;

/** The invoice of an order, ready to print. */
export function InvoicePage({ id }: { id: string }) {
  return (
    <DocumentPage
      orderId={id}
      title="Invoice"
      missing="There is no invoice yet. It is written once the order is paid."
      ask={(signal) => store.getInvoice({ path: { id } }, { signal })}
    >
      {(invoice) => <Sheet invoice={invoice} />}
    </DocumentPage>
  );
}

function Sheet({ invoice }: { invoice: Invoice }) {
  const { number, createdAt, orderId, seller, sellerTaxNumber, lines, taxes, amount } = invoice;
  return (
    <article class="invoice" aria-labelledby="invoice-title">
      <Seller seller={seller} sellerTaxNumber={sellerTaxNumber} />
      <h1 id="invoice-title" tabIndex={-1}>
        Invoice {number}
      </h1>
      <p>
        {/* In UTC, because a document has the same date wherever it is read. */}
        Date: <time dateTime={createdAt}>{createdAt.slice(0, 10)}</time> (UTC)
        <br />
        Order: {orderId}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Product</th>
            <th scope="col">Quantity</th>
            <th scope="col">Price</th>
            <th scope="col">Amount</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ productId, name, sku, quantity, unitPrice: { amount: price, currency } }) => (
            <tr key={productId}>
              <td>
                <bdi>{name ?? productId}</bdi>
                {sku && (
                  <>
                    <br />
                    <small>
                      <bdi>{sku}</bdi>
                    </small>
                  </>
                )}
              </td>
              <td>{quantity}</td>
              <td>{money(price, currency)}</td>
              <td>{money(lineSum({ price, quantity }), currency)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={3}>
              Total
            </th>
            <td>{money(amount.amount, amount.currency)}</td>
          </tr>
        </tfoot>
      </table>
      {taxes && <TaxTable taxes={taxes} currency={amount.currency} />}
      <Print />
    </article>
  );
}
