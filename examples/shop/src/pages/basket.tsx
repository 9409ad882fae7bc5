import { type Money, StoreProblem } from '@store-platform/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { AddressForm, addressErrorsOf, addressIn } from '../parts/address.tsx';
import { Artwork } from '../parts/artwork.tsx';
import { Failure } from '../parts/failure.tsx';
import { Quantity } from '../parts/quantity.tsx';
import { type Line, maxLines } from '../shop/basket.ts';
import { useShop } from '../shop/context.ts';
import { lineSum, money, totalOf } from '../shop/money.ts';
import { attemptOf, inTurn, send, settle, unanswered } from '../shop/place-order.ts';
import { goTo } from '../shop/route.ts';
import { codeOf } from '../shop/sentences.ts';
import { store } from '../shop/store.ts';

export function BasketPage() {
  const { account, basket, announce, explain } = useShop();
  const isShown = useRef(true);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const address = useRef<HTMLFormElement>(null);
  const [addressErrors, setAddressErrors] = useState<Record<string, string>>({});
  /** The key of the order that has failed without an answer. */
  const [failed, setFailed] = useState<string>();
  /** Sentences about what is not as it was when it was put into the basket. */
  const [changes, setChanges] = useState<readonly string[]>([]);
  /** Price that the store has named for these lines. */
  const [told, setTold] = useState<{ lines: string; total: Money }>();
  const { lines } = basket;
  const linesText = JSON.stringify(lines);
  const total = told?.lines === linesText ? told.total : totalOf(lines);

  const isOver = failed !== undefined && unanswered(account.id)?.key !== failed;
  const sentence = isOver ? undefined : failure;

  const show = (changed: readonly string[]) => changed.length > 0 && setChanges(changed);

  /** Prices may have changed since a product was put into the basket. */
  async function renew(): Promise<void> {
    const id = lines.map(({ id }) => id);
    if (id.length > 0) show(basket.renew(id, await store.listProducts({ query: { id, size: maxLines } })));
  }
  useEffect(() => {
    renew().catch((error) => setFailure(explain(error)));
    return () => {
      isShown.current = false;
    };
  }, []);

  async function order(): Promise<void> {
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    setFailed(undefined);
    setAddressErrors({});
    setChanges([]);
    try {
      await inTurn(account.id, place);
    } catch (error) {
      const wrong = addressErrorsOf(error);
      setAddressErrors(wrong);
      setFailure(Object.keys(wrong).length > 0 ? 'The address is not complete.' : explain(error));
      setFailed(unanswered(account.id)?.key);
      setBusy(false);
      if (codeOf(error) === 'unknown-product') await renew().catch(() => undefined);
      if (error instanceof StoreProblem && error.total) {
        const prices = new Map(error.items?.map(({ productId, unitPrice }) => [productId, unitPrice.amount]));
        const priced = lines.map((line) => ({ ...line, price: prices.get(line.id) ?? line.price }));
        show(
          basket.renew(
            [],
            priced.map(({ quantity: _, ...product }) => product),
          ),
        );
        setTold({ lines: JSON.stringify(priced), total: error.total });
      }
    }
  }

  async function place(): Promise<void> {
    // Another tab's turn can take a minute, and nobody would be told here what became of the order.
    if (!isShown.current) return announce('You left the basket before your order was sent, so nothing was ordered.');
    if (!basket.isCurrent()) {
      setFailure('Another tab has ordered or changed your basket, so nothing was ordered here.');
      setBusy(false);
      return;
    }
    const { attempt, arrived } = await attemptOf(account.id, basket, total, addressIn(address.current));
    const { id } = arrived ?? (await send(account.id, attempt));
    settle(account.id, attempt, basket);
    if (arrived) {
      setFailure('Your order of before had arrived after all. Look at your orders before you order the rest.');
      setBusy(false);
      return;
    }
    announce('Thank you. Your order has been placed.');
    if (isShown.current) goTo(`orders/${id}`);
  }

  if (lines.length === 0)
    return (
      <div class="empty">
        <h1 tabIndex={-1}>Basket</h1>
        <Failure sentence={sentence} />
        <Changes sentences={changes} />
        <p>Your basket is empty.</p>
        <p>
          <a class="button" href="#/">
            Look at the catalogue
          </a>
        </p>
      </div>
    );
  return (
    <>
      <h1 tabIndex={-1}>Basket</h1>
      <Changes sentences={changes} />
      <div class="two-columns">
        <ul class="lines">
          {lines.map((line) => (
            <BasketLine key={line.id} line={line} />
          ))}
        </ul>
        <section class="summary" aria-labelledby="summary-title">
          <h2 id="summary-title">Your order</h2>
          <dl>
            <div>
              <dt>{basket.count === 1 ? '1 piece' : `${basket.count} pieces`}</dt>
              <dd class="sum">{money(total.amount, total.currency)}</dd>
            </div>
          </dl>
          <AddressForm form={address} errors={addressErrors} onSubmit={() => void order()} />
          <Failure sentence={sentence} />
          <button type="button" class="main" aria-disabled={busy} onClick={() => void order()}>
            {busy ? 'One moment…' : 'Place the order'}
          </button>
          <p class="note">This is an example: no money moves, and nothing is shipped.</p>
        </section>
      </div>
    </>
  );
}

/** The place for them is always there, so that readers notice. */
const Changes = ({ sentences }: { sentences: readonly string[] }) => (
  <div role="status" class="changes">
    {sentences.map((sentence) => (
      <p key={sentence}>{sentence}</p>
    ))}
  </div>
);

function BasketLine({ line }: { line: Line }) {
  const { basket, announce } = useShop();
  const { name, unit, price, quantity } = line;
  return (
    <li class="line">
      <Artwork name={name} />
      <div class="line-text">
        <h2>{name}</h2>
        <p class="unit">
          {money(price)} · {unit}
        </p>
      </div>
      <Quantity of={name} value={quantity} onChange={(wanted) => basket.set(line, wanted)} />
      <p class="line-sum">{money(lineSum(line))}</p>
      <button
        type="button"
        class="plain"
        aria-label={`Remove ${name}`}
        onClick={() => {
          basket.set(line, 0);
          announce(`${name} is no longer in your basket.`);
          document.querySelector<HTMLElement>('h1')?.focus();
        }}
      >
        Remove
      </button>
    </li>
  );
}
