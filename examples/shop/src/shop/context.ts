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
  /** Shows a sentence for a while, and has screen readers read it. */
  announce(sentence: string): void;
  /** @returns a sentence for the page; if the session has ended, the login page also appears */
  explain(error: unknown): string;
}

/** State and functions for pages of customers. */
export interface Shop extends Visit {
  account: Account;
  live: LiveOrders;
  /** Reads the account again, since it has changed or is gone. */
  askWhoIsLoggedIn(): void;
  /** Records that the answer to a password change was lost. */
  doubtPassword(): void;
  /** Runs an action by which the customer ends the session. */
  leave(act: () => Promise<unknown>): Promise<void>;
}

export const ShopContext = createContext<Shop | Visit | undefined>(undefined);

/** For pages that guests may see if the catalogue is open to everyone. */
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
