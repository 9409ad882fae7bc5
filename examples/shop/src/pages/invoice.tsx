import { type Output, StoreProblem } from '@store-platform/client';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';
import { TaxTable } from '../parts/tax-table.tsx';
import { useShop } from '../shop/context.ts';
import { useLookAgain } from '../shop/look-again.ts';
import { lineSum, money } from '../shop/money.ts';
import { store } from '../shop/store.ts';

type Invoice = Output<'getInvoice'>;

/** The invoice of an order, ready to print. */
export function InvoicePage({ id }: { id: string }) {
  const { explain } = useShop();
  const [invoice, setInvoice] = useState<Invoice>();
  const [failure, setFailure] = useState<string>();
  const [looks, setLooks] = useState(0);

  useEffect(() => {
    const stop = new AbortController();
    setFailure(undefined);
    store.getInvoice({ path: { id } }, { signal: stop.signal }).then(setInvoice, (error) => {
      if (stop.signal.aborted) return;
      const isMissing = error instanceof StoreProblem && error.status === 404;
      setFailure(isMissing ? 'There is no invoice yet. It is written once the order is paid.' : explain(error));
    });
    return () => stop.abort();
  }, [looks]);
  const look = () => setLooks((before) => before + 1);
  useLookAgain(failure !== undefined, () => failure !== undefined && look());

  return (
    <>
      <p class="back">
        <a href={`#/orders/${id}`}>← The order</a>
      </p>
      {!invoice && <h1 tabIndex={-1}>Invoice</h1>}
      <Failure sentence={failure} onRetry={look} />
      {!invoice && !failure && <p class="waiting">One moment…</p>}
      {invoice && <Sheet invoice={invoice} />}
    </>
  );
}

function Sheet({ invoice }: { invoice: Invoice }) {
  const { number, createdAt, orderId, seller, sellerTaxNumber, lines, taxes, amount } = invoice;
  return (
    <article class="invoice" aria-labelledby="invoice-title">
      <address>{seller}</address>
      {sellerTaxNumber && <p>Tax number: {sellerTaxNumber}</p>}
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
      <button type="button" onClick={() => print()}>
        Print
      </button>
    </article>
  );
}
