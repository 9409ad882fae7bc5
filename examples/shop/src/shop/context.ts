import type { Account } from '@store-platform/client';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Basket } from './basket.ts';
import type { LiveOrders } from './live-orders.ts';

/** State and functions that the pages of customers and guests share. */
export interface Visit {
  /** Undefined for a guest. */
  account: Account | undefined;
  basket: Basket;
  /** Shows a sentence for a while, and reads it to those who do not see it. */
  announce(sentence: string): void;
  /** @returns a sentence; after the end of the session the page to log in comes instead */
  explain(error: unknown): string;
}

/** Those of a customer. */
export interface Shop extends Visit {
  account: Account;
  live: LiveOrders;
  /** Asks again who is logged in: the account is another one, or gone. */
  askWhoIsLoggedIn(): void;
  /** Notes that the answer to a change of the password was lost. */
  doubtPassword(): void;
  /** Runs what ends the session as the customer wants it. */
  leave(act: () => Promise<unknown>): Promise<void>;
}

export const ShopContext = createContext<Shop | Visit | undefined>(undefined);

/** For pages that guests may see, where the catalogue is for everybody. */
export function useVisit(): Visit {
  const visit = useContext(ShopContext);
  if (!visit) throw new Error('The catalogue is not open.');
  return visit;
}

export function useShop(): Shop {
  const shop = useContext(ShopContext);
  if (!shop || !('live' in shop)) throw new Error('Only pages of a customer have a shop.');
  return shop;
}
