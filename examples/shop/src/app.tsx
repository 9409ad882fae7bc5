import { StoreProblem } from '@store-platform/client';
import { useEffect, useRef } from 'preact/hooks';
import { AccountPage } from './pages/account.tsx';
import { BasketPage } from './pages/basket.tsx';
import { CancelPage, ConfirmPage, ForgottenPage, ResetPage } from './pages/by-mail.tsx';
import { CataloguePage } from './pages/catalogue.tsx';
import { CredentialsPage } from './pages/credentials.tsx';
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
import { goTo, notePlace, type Route, useRoute } from './shop/route.ts';
import { sentenceOf } from './shop/sentences.ts';
import { useSession } from './shop/session.ts';

export function App() {
  const route = useRoute();
  const session = useSession();
  const [announced, announce] = useAnnouncement();
  const { account } = session;
  const basket = useBasket(account?.id);
  const live = useLiveOrders(account?.id, (change) => announce(sentenceAbout(change)), explain);
  const page = route.path[0] ?? '';
  const main = useRef<HTMLElement>(null);

  function explain(error: unknown): string {
    if (error instanceof StoreProblem && error.status === 401) {
      notePlace(route);
      session.end();
    }
    return sentenceOf(error);
  }

  async function logOut(): Promise<void> {
    try {
      await session.logOut();
      announce('You have logged out.');
      goTo('log-in');
    } catch (error) {
      announce(sentenceOf(error));
    }
  }

  useEffect(() => stopSending, [account?.id]);
  useFocusOnNewPage(route, account?.id);
  useFocusStays(main);

  const shop: Shop | undefined = account && { account, basket, live, announce, explain };
  const isWindow = session.isOpen && !account && !session.ended && (page === '' || page === 'products');
  const isAtBasket = session.isOpen && page === 'basket' && basket.count > 0;
  const byMail = pageByMail(route);
  return (
    <ShopContext.Provider value={shop ?? (isWindow ? { basket, announce, explain } : undefined)}>
      {/* No link: the hash is the page. */}
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <Header
        account={account}
        isOpen={session.isOpen}
        page={page}
        count={basket.count}
        onLogOut={() => void logOut()}
      />
      <main id="main" ref={main} tabIndex={-1}>
        {session.failure && <Failure sentence={session.failure} onRetry={session.retry} />}
        {!session.isKnown && !session.failure && <p class="waiting">One moment…</p>}
        {shop && <UnansweredOrder key={`${shop.account.id}/${page}`} />}
        {byMail}
        {shop && !byMail && <CustomerPage route={route} onChange={session.retry} />}
        {isWindow && <WindowPage route={route} />}
        {session.isKnown && !shop && !isWindow && !byMail && (
          <CredentialsPage
            key={page}
            isNew={page === 'register'}
            reason={reasonToLogIn(session.ended !== undefined, isAtBasket)}
            onLogIn={session.begin}
          />
        )}
      </main>
      <footer class="bottom">An example of what can be built on Store Platform.</footer>
      <Announcement sentence={announced} />
    </ShopContext.Provider>
  );
}

function reasonToLogIn(hasEnded: boolean, isAtBasket: boolean): string | undefined {
  if (hasEnded) return 'Your session has ended. Log in again. You will be back where you were.';
  return isAtBasket ? 'Log in, or register, to order. Your basket is kept.' : undefined;
}

/** For everybody: whoever follows the link of a mail, or asks for one. */
function pageByMail({ path: [page, token = ''] }: Route) {
  if (page === 'forgotten') return <ForgottenPage />;
  if (page === 'reset') return <ResetPage key={token} token={token} />;
  if (page === 'confirm') return <ConfirmPage key={token} token={token} />;
  if (page === 'cancel') return <CancelPage key={token} token={token} />;
  return undefined;
}

function CustomerPage({ route, onChange }: { route: Route; onChange(): void }) {
  const [page, id] = route.path;
  if (page === 'log-in' || page === 'register') return null; // another page comes at once
  if (page === 'account') return <AccountPage onChange={onChange} />;
  if (page === 'basket') return <BasketPage />;
  if (page === 'orders') return id ? <OrderPage key={id} id={id} /> : <OrdersPage />;
  return <WindowPage route={route} />;
}

/** Shows the pages that need no account, where the catalogue is for everybody. */
function WindowPage({ route }: { route: Route }) {
  const [page, id] = route.path;
  return page === 'products' && id ? <ProductPage key={id} id={id} /> : <CataloguePage route={route} />;
}

const words: Record<OrderChange['status'], string> = {
  PENDING: 'is being confirmed',
  CONFIRMED: 'is confirmed',
  CANCELLED: 'is cancelled',
};
const sentenceAbout = ({ orderId, status }: OrderChange) =>
  `Order ${shortId(orderId)} ${isKnown(status) ? words[status] : `is ${status}`}.`;
