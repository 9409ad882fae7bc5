import { StoreProblem } from '@store-platform/client';
import { useEffect, useRef } from 'preact/hooks';
import { AccountPage } from './pages/account.tsx';
import { BasketPage } from './pages/basket.tsx';
import { CancelPage, ConfirmPage, ForgottenPage, ResetPage } from './pages/by-mail.tsx';
import { CataloguePage } from './pages/catalogue.tsx';
import { CredentialsPage } from './pages/credentials.tsx';
import { CreditNotePage } from './pages/credit-note.tsx';
import { InvoicePage } from './pages/invoice.tsx';
import { MissingPage } from './pages/missing.tsx';
import { OrderPage } from './pages/order.tsx';
import { OrdersPage } from './pages/orders.tsx';
import { ProductPage } from './pages/product.tsx';
import { Announcement, useAnnouncement } from './parts/announcement.tsx';
import { Failure } from './parts/failure.tsx';
import { Header } from './parts/header.tsx';
import { isKnown, shortId } from './parts/order-status.tsx';
import { UnansweredOrder } from './parts/unanswered-order.tsx';
import { useBasket } from './shop/basket.ts';
import { type Shop, ShopContext } from './shop/context.ts';
import { useFocusOnNewPage, useFocusStays } from './shop/focus.ts';
import { type OrderChange, useLiveOrders } from './shop/live-orders.ts';
import { stopSending } from './shop/place-order.ts';
import { goTo, isPlace, noteScroll, type Route, useRoute } from './shop/route.ts';
import { inDoubt, sentenceOf } from './shop/sentences.ts';
import { type Session, useSession } from './shop/session.ts';
import { store } from './shop/store.ts';

export function App() {
  const route = useRoute();
  const session = useSession();
  const [announced, announce] = useAnnouncement();
  const { account } = session;
  const basket = useBasket(account?.id, announce);
  const live = useLiveOrders(account?.id, (change) => announce(sentenceAbout(change)), explain);
  const page = route.path[0] ?? '';
  const main = useRef<HTMLElement>(null);

  function explain(error: unknown): string {
    if (error instanceof StoreProblem && error.status === 401) {
      noteScroll();
      session.end();
    }
    return sentenceOf(error);
  }

  async function logOut(): Promise<void> {
    try {
      await session.leave(() => store.logOut());
      announce('You have logged out.');
      goTo('log-in');
    } catch (error) {
      announce(sentenceOf(error));
    }
  }

  useEffect(() => stopSending, [account?.id]);
  useFocusOnNewPage(route, account?.id);
  useFocusStays(main);

  const shop: Shop | undefined = account && {
    account,
    basket,
    live,
    announce,
    explain,
    askWhoIsLoggedIn: session.retry,
    doubtPassword: session.doubtPassword,
    leave: session.leave,
  };
  const forAll = pageForAll(route);
  const forGuests = session.isGuest && pageForGuests(route);
  /** Guests need to wait for the session only on pages for customers. */
  const isServed = session.isGuest && Boolean(forGuests || forAll);
  return (
    <ShopContext.Provider value={shop ?? (session.isGuest ? { account, basket, announce, explain } : undefined)}>
      {/* Not a link, because the hash names the page. */}
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <Header
        account={account}
        isGuest={session.isGuest}
        page={page}
        count={basket.count}
        onLogOut={() => void logOut()}
      />
      <main id="main" ref={main} tabIndex={-1}>
        {session.failure && !isServed && <Failure sentence={session.failure} onRetry={session.retry} />}
        {!session.isKnown && !session.failure && !isServed && <p class="waiting">One moment…</p>}
        <div role="status">
          {!session.isKnown && session.isGuest && (
            <p class="reason">
              Logging in is not possible at the moment. If you are logged in, your own basket and your orders will
              reappear on their own.
            </p>
          )}
        </div>
        {shop && <UnansweredOrder key={`${shop.account.id}/${page}`} />}
        {forAll}
        {shop && !forAll && (pageForGuests(route) ?? pageForCustomers(route))}
        {forGuests && !forAll && (
          <>
            {session.ended && session.isKnown && (
              <p class="reason">
                Your session has ended. <a href="#/log-in">Log in again</a> to see your basket and your orders.
              </p>
            )}
            {forGuests}
          </>
        )}
        {session.isKnown && !shop && !forGuests && !forAll && (
          <CredentialsPage
            key={page}
            isNew={page === 'register'}
            reason={reasonToLogIn(session)}
            onLogIn={session.begin}
          />
        )}
      </main>
      <footer class="bottom">An example of what can be built on Store Platform.</footer>
      <Announcement sentence={announced} />
    </ShopContext.Provider>
  );
}

function reasonToLogIn({ ended, isPasswordInDoubt }: Session): string | undefined {
  if (isPasswordInDoubt) return inDoubt.changePassword;
  return ended && 'Your session has ended. Log in again to continue where you left off.';
}

/** Returns a page that needs no session: one for a link in a mail, the request for such a link, or the page for unknown addresses. */
function pageForAll(route: Route) {
  const [page = '', token = ''] = route.path;
  switch (page) {
    case 'forgotten':
      return <ForgottenPage />;
    case 'reset':
      return <ResetPage key={token} token={token} />;
    case 'confirm':
      return <ConfirmPage key={token} token={token} />;
    case 'cancel':
      return <CancelPage key={token} token={token} />;
    case 'log-in':
    case 'register':
      return route.path.length === 1 ? undefined : <MissingPage />;
    default:
      return isPlace(route) ? undefined : <MissingPage />;
  }
}

/** Returns a page that guests may see if the catalogue is open to everyone; customers may always see it. */
function pageForGuests(route: Route) {
  const [page, id] = route.path;
  if (page === 'products' && id) return <ProductPage key={id} id={id} query={route.query} />;
  if (page === 'basket') return <BasketPage />;
  return page === '' ? <CataloguePage route={route} /> : undefined;
}

function pageForCustomers(route: Route) {
  const [page, id, part, number] = route.path;
  if (page === 'account') return <AccountPage />;
  if (page === 'orders' && id && part === 'invoice') return <InvoicePage key={id} id={id} />;
  if (page === 'orders' && id && part === 'credit-notes' && number)
    return <CreditNotePage key={number} id={id} number={Number(number)} />;
  if (page === 'orders' && id) return <OrderPage key={id} id={id} />;
  if (page === 'orders') return <OrdersPage />;
  return undefined; // the login page, which another page replaces at once
}

const words: Record<OrderChange['status'], string> = {
  PENDING: 'is being confirmed',
  CONFIRMED: 'is confirmed',
  CANCELLED: 'is cancelled',
};
const sentenceAbout = ({ orderId, status }: OrderChange) =>
  `Order ${shortId(orderId)} ${isKnown(status) ? words[status] : `is ${status}`}.`;
