import type { Product } from '@store-platform/client';
import { onlyLeft } from '../shop/basket.ts';
import { useVisit } from '../shop/context.ts';
import { isolated } from '../shop/sentences.ts';
import { leftOf } from '../shop/stock.ts';

/** Puts a product into the basket, unless it is known to be sold out. @param pieces that can still be ordered, if known */
export function AddToBasket({ product, pieces }: { product: Product; pieces: number | undefined }) {
  const { basket, announce } = useVisit();
  const { name } = product;
  const quantity = basket.quantityOf(product.id);
  const left = leftOf(pieces);

  function add(): string {
    if (pieces !== undefined && quantity >= pieces) return `${onlyLeft(name, pieces)} All are in your basket.`;
    return basket.set(product, quantity + 1) ?? `${isolated(name)}: ${quantity + 1} in your basket.`;
  }

  return (
    <div class="product-foot">
      <button
        type="button"
        aria-label={`Add ${name} to the basket`}
        disabled={pieces === 0}
        onClick={() => announce(add())}
      >
        Add
      </button>
      {left && <span class="left">{left}</span>}
      {quantity > 0 && <span class="in-basket">{quantity} in basket</span>}
    </div>
  );
}
