import type { Product } from '@store-platform/client';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { money } from './money.ts';
import { isolated, piecesOf } from './sentences.ts';
import { drop, keep, randomKey, stored } from './storage.ts';

export interface Line extends Product {
  quantity: number;
}

export interface Basket {
  lines: readonly Line[];
  /** Pieces of all products. */
  count: number;
  quantityOf(productId: string): number;
  /** Identifies the content, the same in all tabs. Each change makes a new key. */
  key(): string;
  /** True if no other tab has changed the basket since it was shown. */
  isCurrent(): boolean;
  /** 0 removes the product. @returns a sentence if the basket is full */
  set(product: Product, quantity: number): string | undefined;
  /**
   * Updates names and prices, and removes products that were requested and are no longer sold.
   * @param asked ids of the products that were requested from the store
   * @param products those that the store returned
   * @returns a sentence about each change
   */
  renew(asked: readonly string[], products: readonly Product[]): string[];
  /**
   * Reduces quantities to what can still be ordered.
   * @param stock pieces by product; products that are missing here are left alone
   * @returns a sentence about each change
   */
  cap(stock: ReadonlyMap<string, number>): string[];
  /** Removes ordered pieces, and leaves pieces added later. */
  take(ordered: readonly Pick<Line, 'id' | 'quantity'>[]): void;
}

/** Limits of an item of an order, and of the items of an order (contract 4.5). */
export const largestQuantity = 10_000;
export const maxLines = 100;

const full = `An order has at most ${maxLines} different products. Order what is in your basket, then start another.`;

/** Such as `Only 2 pieces of Olive oil are left.` */
export const onlyLeft = (name: string, pieces: number): string =>
  `Only ${piecesOf(pieces)} of ${isolated(name)} ${pieces === 1 ? 'is' : 'are'} left.`;

/** Name of the guest's basket, used in an open catalogue until a login. */
const guestName = 'shop.basket.guest';
const nameOf = (accountId: string) => `shop.basket.${accountId}`;
const keyNameOf = (accountId: string) => `shop.key.${accountId}`;

/** Removes an account's basket from this browser. */
export function forgetBasket(accountId: string): void {
  drop(nameOf(accountId));
  drop(keyNameOf(accountId));
}

/**
 * The basket of an account in this browser, shared by its tabs; the guest's basket if the account is undefined.
 * @param onFull called after a login with a sentence about products that do not fit into the basket
 */
export function useBasket(accountId: string | undefined, onFull: (sentence: string) => void): Basket {
  const name = accountId ? nameOf(accountId) : guestName;
  const keyName = keyNameOf(accountId ?? 'guest');
  const [changes, setChanges] = useState(0);
  const noteChange = () => setChanges((count) => count + 1);
  const read = () => stored<readonly Line[]>(name, []);
  const lines = useMemo(read, [name, changes]);

  useEffect(() => {
    const follow = (event: StorageEvent) => event.key === name && noteChange();
    addEventListener('storage', follow);
    return () => removeEventListener('storage', follow);
  }, [name]);

  // Moves the guest's basket into the account's after a login. Products that do not fit wait for the next login.
  useEffect(() => {
    const brought = accountId ? stored<readonly Line[]>(guestName, []) : [];
    if (brought.length === 0) return;
    const left = brought.filter((line) => basket.set(line, basket.quantityOf(line.id) + line.quantity) !== undefined);
    keep(guestName, left);
    if (left.length > 0) onFull(`${full} No room for: ${left.map(({ name }) => isolated(name)).join(', ')}.`);
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
      const key = stored(keyName, randomKey());
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
        if (!product && asked.includes(line.id)) sentences.push(`${isolated(line.name)} is no longer sold.`);
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
