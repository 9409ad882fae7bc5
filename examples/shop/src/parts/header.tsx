import type { Account } from '@store-platform/client';

interface Props {
  account: Account | undefined;
  /** A guest sees the catalogue and has a basket, without an account. */
  isGuest: boolean;
  page: string;
  count: number;
  onLogOut(): void;
}

export function Header({ account, isGuest, page, count, onLogOut }: Props) {
  const here = (name: string) => (page === name ? 'page' : undefined);
  return (
    <header class="top">
      <a class="brand" href="#/">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="10" />
          <path d="M9 13h14l-1.2 10.2a2 2 0 0 1-2 1.8h-7.6a2 2 0 0 1-2-1.8z" />
          <path class="handle" d="M12 15v-3a4 4 0 0 1 8 0v3" />
        </svg>
        <span>Corner shop</span>
      </a>
      <nav aria-label="Main">
        {(account || isGuest) && (
          <a href="#/" aria-current={here('')}>
            <span>Catalogue</span>
          </a>
        )}
        {account && (
          <a href="#/orders" aria-current={here('orders')}>
            <span>Orders</span>
          </a>
        )}
        {account && (
          <a href="#/account" aria-current={here('account')}>
            <span>Account</span>
          </a>
        )}
        {(account || isGuest) && (
          <a href="#/basket" aria-current={here('basket')}>
            <span>Basket</span>
            {count > 0 && <span class="count">{count}</span>}
            {count > 0 && <span class="unseen">{count === 1 ? ' piece' : ' pieces'}</span>}
          </a>
        )}
        {account ? (
          <button type="button" class="plain" onClick={onLogOut}>
            Log out
          </button>
        ) : (
          <>
            <a href="#/log-in" aria-current={here('log-in')}>
              <span>Log in</span>
            </a>
            <a href="#/register" aria-current={here('register')}>
              <span>Register</span>
            </a>
          </>
        )}
      </nav>
    </header>
  );
}
