import { StoreProblem } from '@store-platform/client';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useShop } from '../shop/context.ts';
import { useLookAgain } from '../shop/look-again.ts';
import { Failure } from './failure.tsx';

interface Props<Document> {
  orderId: string;
  /** Heading until the document is there. */
  title: string;
  /** What is said if there is no such document. */
  missing: string;
  ask(signal: AbortSignal): Promise<Document>;
  children(document: Document): ComponentChildren;
}

/** A document of an order. */
export function DocumentPage<Document>({ orderId, title, missing, ask, children }: Props<Document>) {
  const { explain } = useShop();
  const [document, setDocument] = useState<Document>();
  const [failure, setFailure] = useState<string>();
  const [looks, setLooks] = useState(0);

  useEffect(() => {
    const stop = new AbortController();
    setFailure(undefined);
    ask(stop.signal).then(
      (answer) => setDocument(() => answer),
      (error) => {
        if (stop.signal.aborted) return;
        const isMissing = error instanceof StoreProblem && error.status === 404;
        setFailure(isMissing ? missing : explain(error));
      },
    );
    return () => stop.abort();
  }, [looks]);
  const look = () => setLooks((before) => before + 1);
  useLookAgain(failure !== undefined, () => failure !== undefined && look());

  return (
    <>
      <p class="back">
        <a href={`#/orders/${orderId}`}>← The order</a>
      </p>
      {!document && <h1 tabIndex={-1}>{title}</h1>}
      <Failure sentence={failure} onRetry={look} />
      {!document && !failure && <p class="waiting">One moment…</p>}
      {document && children(document)}
    </>
  );
}

interface SellerProps {
  seller: string;
  sellerTaxNumber?: string | null | undefined;
}

export const Seller = ({ seller, sellerTaxNumber }: SellerProps) => (
  <>
    <address>{seller}</address>
    {sellerTaxNumber && <p>Tax number: {sellerTaxNumber}</p>}
  </>
);

export const Print = () => (
  <button type="button" onClick={() => print()}>
    Print
  </button>
);
