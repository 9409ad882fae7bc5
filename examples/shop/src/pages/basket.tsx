import { type Account, type Money, StoreProblem } from '@store-platform/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { AddressFields, addressErrorsOf, addressIn, missingIn } from '../parts/address.tsx';
import { Artwork } from '../parts/artwork.tsx';
import { Changes } from '../parts/changes.tsx';
import { Failure } from '../parts/failure.tsx';
import { PayWith, tokenIn } from '../parts/pay-with.tsx';
import { Quantity } from '../parts/quantity.tsx';
import { type Line, largestQuantity, maxLines, onlyLeft } from '../shop/basket.ts';
import { useVisit } from '../shop/context.ts';
import { lineSum, money, totalOf } from '../shop/money.ts';
import { attemptOf, orderInTurn, send, settle, unanswered } from '../shop/place-order.ts';
import { useLooks } from '../shop/renewed.ts';
import { goTo } from '../shop/route.ts';
import { codeOf, isolated, piecesOf } from '../shop/sentences.ts';
import { readStock } from '../shop/stock.ts';
import { store } from '../shop/store.ts';

/** An order is sent without the stock if that takes longer: the customer then learns later what was sold out. */
const stockTimeoutMs = 2_000;

export function BasketPage() {
  const { account, basket, announce, explain } = useVisit();
  const isShown = useRef(true);
  const isBusy = useRef(false);
  const [busy, setBusyState] = useState(false);
  const [failure, setFailure] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  const [addressErrors, setAddressErrors] = useState<Record<string, string>>({});
  /** Key of an order that failed without an answer. */
  const [failed, setFailed] = useState<string>();
  /** Sentences about products that have changed since they were put into the basket. */
  const [changes, setChanges] = useState<readonly string[]>([]);
  /** Pieces that can still be ordered, by product, if known. */
  const [stock, setStock] = useState<ReadonlyMap<string, number>>(new Map());
  /** Total that the store has given for these lines. */
  const [told, setTold] = useState<{ lines: string; total: Money }>();
  const looks = useLooks();
  const { lines } = basket;
  const linesText = JSON.stringify(lines);
  const total = told?.lines === linesText ? told.total : totalOf(lines);

  const isOver = failed !== undefined && account !== undefined && unanswered(account.id)?.key !== failed;
  const sentence = isOver ? undefined : failure;

  const show = (changed: readonly string[]) =>
    changed.length > 0 && setChanges((before) => [...new Set([...before, ...changed])]);
  function setBusy(is: boolean): void {
    isBusy.current = is;
    setBusyState(is);
  }

  /** Prices may have changed since a product was put into the basket. */
  async function renew(): Promise<void> {
    const id = lines.map(({ id }) => id);
    if (id.length > 0) show(basket.renew(id, await store.listProducts({ query: { id, size: maxLines } })));
  }

  /**
   * Reduces the basket to the stock that the store reports.
   * @returns whether that changed the basket
   */
  async function cap(): Promise<boolean> {
    const ids = lines.map(({ id }) => id);
    const found = await readStock(ids, AbortSignal.timeout(stockTimeoutMs)).catch(() => new Map<string, number>());
    // The missing stock may be reserved for an order of this basket whose answer was lost.
    if (!isShown.current || (account && unanswered(account.id))) return false;
    setStock(found);
    const sentences = basket.cap(found);
    show(sentences);
    return sentences.length > 0;
  }

  useEffect(() => {
    if (isBusy.current) return;
    renew()
      .catch((error) => setFailure(explain(error)))
      .then(() => !isBusy.current && cap());
  }, [looks]);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );

  async function order(customer: Account): Promise<void> {
    if (busy || !form.current) return;
    setFailure(undefined);
    setFailed(undefined);
    if (!showErrors(missingIn(form.current))) return;
    setBusy(true);
    setChanges([]);
    try {
      await orderInTurn(customer.id, () => place(customer));
    } catch (error) {
      if (showErrors(addressErrorsOf(error))) setFailure(explain(error));
      setFailed(unanswered(customer.id)?.key);
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

  /** @returns true if there are no errors */
  function showErrors(byField: Record<string, string>): boolean {
    setAddressErrors(byField);
    const [first] = Object.keys(byField);
    if (!first) return true;
    setFailure('The address is not complete.');
    form.current?.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
    return false;
  }

  async function place(customer: Account): Promise<void> {
    // Waiting for another tab can take a minute, and a page that was left cannot show what became of the order.
    if (!isShown.current) return announce('You left the basket before your order was sent, so nothing was ordered.');
    const stop = (why: string) => {
      setFailure(why);
      setBusy(false);
    };
    if (!basket.isCurrent())
      return stop('Another tab has ordered or changed your basket, so nothing was ordered here.');
    if (await cap())
      return stop('There is less stock than you wanted, so nothing was ordered. Check your basket, then order again.');
    if (!isShown.current || !form.current)
      return announce('You left the basket before your order was sent, so nothing was ordered.');
    const paidWith = { address: addressIn(form.current), token: tokenIn(form.current) };
    const { attempt, arrived } = await attemptOf(customer.id, basket, { total, ...paidWith });
    const { id } = arrived ?? (await send(customer.id, attempt));
    settle(customer.id, attempt, basket);
    if (arrived) return stop('Your earlier order had arrived after all. Check your orders before you order the rest.');
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
            <BasketLine key={line.id} line={line} pieces={stock.get(line.id)} />
          ))}
        </ul>
        <section class="summary" aria-labelledby="summary-title">
          <h2 id="summary-title">Your order</h2>
          <dl>
            <div>
              <dt>{piecesOf(basket.count)}</dt>
              <dd class="sum">{money(total.amount, total.currency)}</dd>
            </div>
          </dl>
          {account ? (
            <form
              ref={form}
              noValidate
              onSubmit={(event) => {
                event.preventDefault();
                void order(account);
              }}
            >
              <AddressFields accountId={account.id} form={form} errors={addressErrors} />
              <PayWith />
              <Failure sentence={sentence} />
              <button type="submit" class="main" aria-disabled={busy}>
                {busy ? 'One moment…' : 'Place the order'}
              </button>
            </form>
          ) : (
            <>
              <Failure sentence={sentence} />
              <p>Log in, or register, to order. Your basket is kept.</p>
              <p class="choices">
                <a class="button" href="#/log-in">
                  Log in
                </a>
                <a class="button" href="#/register">
                  Register
                </a>
              </p>
            </>
          )}
          <p class="note">This is an example: no money moves, and nothing is shipped.</p>
        </section>
      </div>
    </>
  );
}

interface LineProps {
  line: Line;
  /** Pieces that can still be ordered, if known. */
  pieces: number | undefined;
}

function BasketLine({ line, pieces = largestQuantity }: LineProps) {
  const { basket, announce } = useVisit();
  const { name, unit, price, quantity } = line;
  const largest = Math.min(pieces, largestQuantity);

  function set(wanted: number): void {
    if (wanted > pieces) announce(onlyLeft(name, pieces));
    basket.set(line, Math.min(wanted, Math.max(largest, 1)));
  }

  return (
    <li class="line">
      <Artwork name={name} />
      <div class="line-text">
        <h2 dir="auto">{name}</h2>
        <p class="unit">
          {money(price)} · <bdi>{unit}</bdi>
        </p>
      </div>
      <Quantity of={name} value={quantity} largest={largest} onChange={set} />
      <p class="line-sum">{money(lineSum(line))}</p>
      <button
        type="button"
        class="plain"
        aria-label={`Remove ${name}`}
        onClick={() => {
          basket.set(line, 0);
          announce(`${isolated(name)} is no longer in your basket.`);
          document.querySelector<HTMLElement>('h1')?.focus();
        }}
      >
        Remove
      </button>
    </li>
  );
}
