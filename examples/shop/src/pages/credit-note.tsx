import { type Output, StoreProblem } from '@store-platform/client';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';
import { TaxTable } from '../parts/tax-table.tsx';
import { useShop } from '../shop/context.ts';
import { money } from '../shop/money.ts';
import { store } from '../shop/store.ts';

type CreditNote = Output<'getCreditNote'>;

/** A credit note of an order, ready to print. */
export function CreditNotePage({ id, number }: { id: string; number: number }) {
  const { explain } = useShop();
  const [note, setNote] = useState<CreditNote>();
  const [failure, setFailure] = useState<string>();
  const [looks, setLooks] = useState(0);

  useEffect(() => {
    const stop = new AbortController();
    setFailure(undefined);
    store.getCreditNote({ path: { id, number } }, { signal: stop.signal }).then(setNote, (error) => {
      if (stop.signal.aborted) return;
      const isMissing = error instanceof StoreProblem && error.status === 404;
      setFailure(isMissing ? 'There is no such credit note.' : explain(error));
    });
    return () => stop.abort();
  }, [looks]);

  return (
    <>
      <p class="back">
        <a href={`#/orders/${id}`}>← The order</a>
      </p>
      {!note && <h1 tabIndex={-1}>Credit note</h1>}
      <Failure sentence={failure} onRetry={() => setLooks((before) => before + 1)} />
      {!note && !failure && <p class="waiting">One moment…</p>}
      {note && <Sheet note={note} />}
    </>
  );
}

function Sheet({ note }: { note: CreditNote }) {
  const { number, createdAt, orderId, invoiceNumber, seller, sellerTaxNumber, taxes, amount } = note;
  return (
    <article class="invoice" aria-labelledby="credit-note-title">
      <address>{seller}</address>
      {sellerTaxNumber && <p>Tax number: {sellerTaxNumber}</p>}
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
      <button type="button" onClick={() => print()}>
        Print
      </button>
    </article>
  );
}
