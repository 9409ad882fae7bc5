import type { Product } from '@store-platform/client';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { keep, kept, randomKey } from './kept.ts';
import { money } from './money.ts';
import { goTo } from './route.ts';

export interface Line extends Product {
  quantity: number;
}

export interface Basket {
  lines: readonly Line[];
  /** Pieces of all products. */
  count: number;
  quantityOf(productId: string): number;
  /** Names what is in it, the same in all tabs: another one after each change. */
  key(): string;
  /** True if no other tab has changed it since it was shown. */
  isCurrent(): boolean;
  /** 0 removes the product. @returns a sentence if there is no room for it */
  set(product: Product, quantity: number): string | undefined;
  /**
   * Takes names and prices over as they are now, and removes what was asked for and is not sold any more.
   * @returns a sentence about each change
   */
  renew(asked: readonly string[], products: readonly Product[]): string[];
  /** Removes what has been ordered, and leaves what came later. */
  take(ordered: readonly Pick<Line, 'id' | 'quantity'>[]): void;
}

/** Limits of an item of an order, and of the items of an order (contract 4.5). */
export const largestQuantity = 10_000;
export const maxLines = 100;

const full = `An order has at most ${maxLines} different products. Order what is in your basket, then begin another.`;

/** The basket of whoever looks at an open catalogue, until they log in. */
const guestName = 'shop.basket.guest';

/** The basket of an account in this browser, the same in all its tabs; of nobody, where the account is undefined. */
export function useBasket(accountId: string | undefined): Basket {
  const name = accountId ? `shop.basket.${accountId}` : guestName;
  const keyName = `shop.key.${accountId ?? 'guest'}`;
  const [changes, setChanges] = useState(0);
  const noteChange = () => setChanges((count) => count + 1);
  const read = () => kept<readonly Line[]>(name, []);
  const lines = useMemo(read, [name, changes]);

  useEffect(() => {
    const follow = (event: StorageEvent) => event.key === name && noteChange();
    addEventListener('storage', follow);
    return () => removeEventListener('storage', follow);
  }, [name]);

  // Takes over what was chosen before the login.
  useEffect(() => {
    const brought = accountId ? kept<readonly Line[]>(guestName, []) : [];
    if (brought.length === 0) return;
    keep(guestName, []);
    for (const line of brought) basket.set(line, basket.quantityOf(line.id) + line.quantity);
    goTo('basket');
  }, [accountId]);

  function change(to: readonly Line[]): void {
    keep(name, to);
    keep(keyName, randomKey());
    noteChange();
  }

  const basket: Basket = {
    lines,
    count: lines.reduce((sum, { quantity }) => sum + quantity, 0),
    quantityOf: (productId) => lines.find(({ id }) => id === productId)?.quantity ?? 0,
    key() {
      const key = kept(keyName, randomKey());
      keep(keyName, key);
      return key;
    },
    isCurrent: () => JSON.stringify(read()) === JSON.stringify(lines),
    set(product, wanted) {
      const lines = read();
      const quantity = Math.min(Math.max(Math.round(wanted), 0), largestQuantity);
      const isThere = lines.some(({ id }) => id === product.id);
      if (!isThere && lines.length >= maxLines) return full;
      if (quantity === 0) change(lines.filter(({ id }) => id !== product.id));
      else if (!isThere) change([...lines, { ...product, quantity }]);
      else change(lines.map((line) => (line.id === product.id ? { ...line, quantity } : line)));
      return undefined;
    },
    renew(asked, products) {
      const current = new Map(products.map((product) => [product.id, product]));
      const sentences: string[] = [];
      const renewed = read().flatMap((line) => {
        const product = current.get(line.id);
        if (!product && asked.includes(line.id)) sentences.push(`${line.name} is not sold any more.`);
        if (!product) return asked.includes(line.id) ? [] : [line];
        if (product.price !== line.price)
          sentences.push(`${product.name} costs ${money(product.price)} now, not ${money(line.price)}.`);
        return [{ ...product, quantity: line.quantity }];
      });
      change(renewed);
      return sentences;
    },
    take(ordered) {
      const taken = new Map(ordered.map(({ id, quantity }) => [id, quantity]));
      const left = read().map((line) => ({ ...line, quantity: line.quantity - (taken.get(line.id) ?? 0) }));
      change(left.filter(({ quantity }) => quantity > 0));
    },
  };
  return basket;
}
