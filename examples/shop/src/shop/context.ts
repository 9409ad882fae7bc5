import type { Account } from '@store-platform/client';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Basket } from './basket.ts';
import type { LiveOrders } from './live-orders.ts';

/** State and functions that the pages of a customer share. */
export interface Shop {
  account: Account;
  basket: Basket;
  live: LiveOrders;
  /** Shows a sentence for a while, and reads it to those who do not see it. */
  announce(sentence: string): void;
  /** @returns a sentence; after the end of the session the page to log in comes instead */
  explain(error: unknown): string;
}

export const ShopContext = createContext<Shop | undefined>(undefined);

export function useShop(): Shop {
  const shop = useContext(ShopContext);
  if (!shop) throw new Error('Only pages of a customer have a shop.');
  return shop;
}
