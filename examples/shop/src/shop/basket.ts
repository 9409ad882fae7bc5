import type { Product } from '@store-platform/client';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { drop, keep, kept, randomKey } from './kept.ts';
import { money } from './money.ts';
import { isolated, piecesOf } from './sentences.ts';

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
  /**
   * Leaves no more of a product than can still be ordered.
   * @param stock pieces by product, as far as they are known
   * @returns a sentence about each change
   */
  cap(stock: ReadonlyMap<string, number>): string[];
  /** Removes what has been ordered, and leaves what came later. */
  take(ordered: readonly Pick<Line, 'id' | 'quantity'>[]): void;
}

/** Limits of an item of an order, and of the items of an order (contract 4.5). */
export const largestQuantity = 10_000;
export const maxLines = 100;

const full = `An order has at most ${maxLines} different products. Order what is in your basket, then begin another.`;

/** Such as `Only 2 pieces of Olive oil are left.` */
export const onlyLeft = (name: string, pieces: number): string =>
  `Only ${piecesOf(pieces)} of ${isolated(name)} ${pieces === 1 ? 'is' : 'are'} left.`;

/** The basket of whoever looks at an open catalogue, until they log in. */
const guestName = 'shop.basket.guest';
const nameOf = (accountId: string) => `shop.basket.${accountId}`;
const keyNameOf = (accountId: string) => `shop.key.${accountId}`;

/** Removes what this browser keeps of an account's basket. */
export function forgetBasket(accountId: string): void {
  drop(nameOf(accountId));
  drop(keyNameOf(accountId));
}

/**
 * The basket of an account in this browser, the same in all its tabs; of a guest, where the account is undefined.
 * @param onFull says what has no room in it after a login
 */
export function useBasket(accountId: string | undefined, onFull: (sentence: string) => void): Basket {
  const name = accountId ? nameOf(accountId) : guestName;
  const keyName = keyNameOf(accountId ?? 'guest');
  const [changes, setChanges] = useState(0);
  const noteChange = () => setChanges((count) => count + 1);
  const read = () => kept<readonly Line[]>(name, []);
  const lines = useMemo(read, [name, changes]);

  useEffect(() => {
    const follow = (event: StorageEvent) => event.key === name && noteChange();
    addEventListener('storage', follow);
    return () => removeEventListener('storage', follow);
  }, [name]);

  // Takes over what was chosen before the login. What has no room waits for the next one.
  useEffect(() => {
    const brought = accountId ? kept<readonly Line[]>(guestName, []) : [];
    if (brought.length === 0) return;
    const left = brought.filter((line) => basket.set(line, basket.quantityOf(line.id) + line.quantity) !== undefined);
    keep(guestName, left);
    if (left.length > 0) onFull(`${full} Without room: ${left.map(({ name }) => isolated(name)).join(', ')}.`);
  }, [accountId]);

  function change(to: readonly Line[]): void {
    if (JSON.stringify(to) === JSON.stringify(read())) return;
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
        if (!product && asked.includes(line.id)) sentences.push(`${isolated(line.name)} is not sold any more.`);
        if (!product) return asked.includes(line.id) ? [] : [line];
        if (product.price !== line.price)
          sentences.push(`${isolated(product.name)} costs ${money(product.price)} now, not ${money(line.price)}.`);
        return [{ ...product, quantity: line.quantity }];
      });
      change(renewed);
      return sentences;
    },
    cap(stock) {
      const sentences: string[] = [];
      const capped = read().flatMap((line) => {
        const { name, quantity } = line;
        const pieces = stock.get(line.id) ?? quantity;
        if (pieces >= quantity) return [line];
        if (pieces === 0) {
          sentences.push(`${isolated(name)} is sold out, so it is no longer in your basket.`);
          return [];
        }
        sentences.push(`${onlyLeft(name, pieces)} Your basket had ${quantity}, and has ${pieces} now.`);
        return [{ ...line, quantity: pieces }];
      });
      change(capped);
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
