import { useEffect, useState } from 'preact/hooks';
import { Artwork } from '../parts/artwork.tsx';
import { Failure } from '../parts/failure.tsx';
import { Quantity } from '../parts/quantity.tsx';
import type { Line } from '../shop/basket.ts';
import { useShop } from '../shop/context.ts';
import { money, sumOf, total } from '../shop/money.ts';
import { placeOrder } from '../shop/place-order.ts';
import { goTo } from '../shop/route.ts';
import { codeOf } from '../shop/sentences.ts';
import { store } from '../shop/store.ts';

/** Items of an order at most (contract 4.5). */
const mostLines = 100;

export function BasketPage() {
  const { account, basket, announce, explain } = useShop();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const { lines } = basket;

  /** Prices may have changed since a product was put into the basket. */
  async function renew(): Promise<void> {
    const id = lines.slice(0, mostLines).map(({ id }) => id);
    if (id.length === 0) return;
    basket.renew(await store.listProducts({ query: { id, size: mostLines } }));
  }
  useEffect(() => {
    renew().catch((error) => setFailure(explain(error)));
  }, []);

  async function order(): Promise<void> {
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const items = lines.map(({ id, quantity }) => ({ productId: id, quantity }));
      const { id } = await placeOrder(account.id, items);
      basket.clear();
      announce('Thank you. Your order has been placed.');
      goTo(`orders/${id}`);
    } catch (error) {
      setFailure(explain(error));
      setBusy(false);
      if (codeOf(error) === 'unknown-product') await renew().catch(() => undefined);
    }
  }

  if (lines.length === 0)
    return (
      <div class="empty">
        <h1 tabIndex={-1}>Basket</h1>
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
              <dd class="sum">{total(sumOf(lines))}</dd>
            </div>
          </dl>
          <Failure sentence={failure} />
          <button type="button" class="main" aria-disabled={busy} onClick={() => void order()}>
            {busy ? 'One moment…' : 'Place the order'}
          </button>
          <p class="note">This is an example: no money moves, and nothing is shipped.</p>
        </section>
      </div>
    </>
  );
}

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
      <p class="line-sum">{money(sumOf([line]))}</p>
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
