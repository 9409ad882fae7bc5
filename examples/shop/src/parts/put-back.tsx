import type { Order } from '@store-platform/client';
import { useState } from 'preact/hooks';
import { maxLines } from '../shop/basket.ts';
import { useShop } from '../shop/context.ts';
import { isolated, piecesOf } from '../shop/sentences.ts';
import { readStock } from '../shop/stock.ts';
import { store } from '../shop/store.ts';
import { Changes } from './changes.tsx';
import { Failure } from './failure.tsx';

/** Puts the items of a cancelled order back into the basket, as far as they can still be ordered. */
export function PutBack({ order: { items } }: { order: Order }) {
  const { basket, explain } = useShop();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [done, setDone] = useState<readonly string[]>([]);

  async function putBack(): Promise<readonly string[]> {
    const id = items.map(({ productId }) => productId);
    const products = new Map(
      (await store.listProducts({ query: { id, size: maxLines } })).map((product) => [product.id, product]),
    );
    const stock = await readStock(id);
    return items.map(({ productId, name, quantity }) => {
      const product = products.get(productId);
      if (!product) return `${isolated(name ?? 'A product')} is no longer sold.`;
      const pieces = Math.min(quantity, stock.get(productId) ?? quantity);
      if (pieces === 0) return `${isolated(product.name)} is sold out.`;
      // A repetition changes nothing.
      const full = basket.set(product, Math.max(pieces, basket.quantityOf(productId)));
      const are = pieces === 1 ? 'is' : 'are';
      return full ?? `${piecesOf(pieces)} of ${isolated(product.name)} ${are} in your basket.`;
    });
  }

  async function press(): Promise<void> {
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      setDone(await putBack());
    } catch (error) {
      setFailure(explain(error));
    }
    setBusy(false);
  }

  return (
    <>
      <Failure sentence={failure} />
      <Changes sentences={done} />
      {done.length === 0 ? (
        <button type="button" aria-disabled={busy} onClick={() => void press()}>
          {busy ? 'One moment…' : 'Put what is left back into the basket'}
        </button>
      ) : (
        <a class="button" href="#/basket">
          Look at your basket
        </a>
      )}
    </>
  );
}
