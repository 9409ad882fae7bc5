import type { Page } from 'playwright-core';
import { until } from '../e2e/_store.ts';
import { changeOrder, confirmed, order, show, visitAsCustomer } from './_customer.ts';
import { useShop } from './_shop.ts';
import { someWares } from './_wares.ts';

const sentence = 'The store does not respond. Check your connection, then try again.';
/** 10 s (src/shop/store.ts), 2 s for the stock (src/pages/basket.tsx), and a margin for a busy machine. */
const toldMs = 17_000;

interface Visit {
  /** What the customer does while nothing answers. */
  act(page: Page): Promise<unknown>;
  /** What they then read, if it differs from `sentence`. */
  told?: string;
  /** The button that they then press, and the page it leads to. */
  back: string;
  heading: string | RegExp;
}

const open = (path: string) => (page: Page) => show(page, path);
const press = (name: string) => (page: Page) => page.getByRole('button', { name }).click();

describe('a store that is silent', () => {
  const services = ['auth', 'account', 'product', 'order'];
  const shop = useShop({ components: ['gateway', ...services] }, someWares);

  const component = (name: string) => shop.store.component(name);
  async function whileStopped(name: string, work: () => Promise<void>): Promise<void> {
    component(name).kill('SIGSTOP');
    try {
      await work();
    } finally {
      component(name).kill('SIGCONT');
    }
  }
  const customer = () => visitAsCustomer(shop);
  /** Acts, and expects the sentence soon. */
  async function expectToldAfter(page: Page, act: Visit['act'], told = sentence): Promise<void> {
    await act(page);
    await page.getByText(told).first().waitFor({ timeout: toldMs });
  }
  async function expectBack(page: Page, { back, heading }: Visit): Promise<void> {
    const there = page.getByRole('heading', { name: heading });
    const again = page.getByRole('button', { name: back });
    await until(`“${back}” leads to ${heading}`, async () => {
      // The page may get there by itself, and the button disappears.
      if (await again.isVisible()) await again.click({ timeout: 1_000 }).catch(() => undefined);
      return there.isVisible();
    });
  }

  it('is reported after 10 s wherever the customer is, and they can try again', async () => {
    const pages = await Promise.all([customer(), customer(), customer(), customer(), customer(), shop.visit()]);
    const [searching, ordering, looking, atOrders, arriving, loggingIn] = pages as [Page, Page, Page, Page, Page, Page];
    await ordering.getByRole('button', { name: 'Add Sea salt to the basket' }).click();
    await open('basket')(ordering);
    const id = await order(looking, 'Sea salt');
    await open('')(looking);
    await looking.getByRole('heading', { name: 'Sea salt' }).waitFor();
    await loggingIn.getByLabel('E-mail address').fill('ada@example.com');
    await loggingIn.getByLabel('Password').fill('correct horse battery');

    const visits: [Page, Visit][] = [
      [
        searching,
        {
          act: (page) => page.getByRole('searchbox', { name: 'Search products' }).fill('tea'),
          back: 'Try again',
          heading: 'Green tea',
        },
      ],
      [ordering, { act: press('Place the order'), back: 'Place the order', heading: /^Order [0-9A-F]{8}$/ }],
      [looking, { act: open(`orders/${id}`), back: 'Try again', heading: 'What happens' }],
      [atOrders, { act: open('orders'), back: 'Try again', heading: 'Orders' }],
      [arriving, { act: (page) => page.reload(), back: 'Try again', heading: 'Catalogue' }],
    ];
    await whileStopped('gateway', async () => {
      await Promise.all([
        ...visits.map(([page, { act }]) => expectToldAfter(page, act)),
        expectToldAfter(loggingIn, press('Log in')),
      ]);
    });
    await Promise.all(visits.map(([page, visit]) => expectBack(page, visit)));
    await press('Log in')(loggingIn);
    await loggingIn.getByRole('alert').getByText('The e-mail address or the password is wrong.').waitFor();
    await Promise.all(pages.map((page) => page.context().close()));
  });

  it.each<[string, Visit]>([
    ['auth', { act: press('Log out'), back: 'Log out', heading: 'Log in' }],
    // The token still opens the catalogue.
    [
      'account',
      {
        act: (page) => page.reload(),
        told: 'Logging in is not possible at the moment.',
        back: 'Try again',
        heading: 'Catalogue',
      },
    ],
    ['product', { act: (page) => page.reload(), back: 'Try again', heading: 'Sea salt' }],
    ['order', { act: open('orders'), back: 'Try again', heading: 'Orders' }],
  ])('is also reported if only %s is silent', async (name, visit) => {
    const page = await customer();
    await whileStopped(name, () => expectToldAfter(page, visit.act, visit.told));
    await expectBack(page, visit);
    await page.context().close();
  });

  it('pauses the live updates of an order: the page says so and catches up later', async () => {
    const page = await customer();
    const id = await order(page, 'Sea salt');
    // The page now expects no more changes, so none of its requests can notice the silence.
    await changeOrder(shop, id, `status = 'CANCELLED', cancelled_at = now()`);
    await page.getByText('Cancelled').first().waitFor();
    const paused = page.getByRole('status').getByText('Live updates paused');
    const list = await page.context().newPage();
    await list.goto(shop.url);
    await list.getByRole('heading', { name: 'Sea salt' }).waitFor();
    await whileStopped('gateway', async () => {
      // The service sends a heartbeat every 15 s (contract 4.11).
      await Promise.all([paused.waitFor({ timeout: 25_000 }), expectToldAfter(list, open('orders'))]);
    });
    await paused.waitFor({ state: 'hidden', timeout: 90_000 });
    await list.getByRole('link', { name: /^Order / }).waitFor();
    await page.context().close();
  }, 180_000);

  it("lets an order's page poll while its live updates are paused", async () => {
    const page = await customer();
    const id = await order(page, 'Sea salt');
    await page.route('**/orders/events', (route) => route.abort());
    component('order').kill('SIGKILL');
    await page.getByRole('status').getByText('Live updates paused').waitFor();
    await changeOrder(shop, id, confirmed);
    await page.getByText('Getting ready to ship').waitFor();
    await open('orders')(page);
    await page.getByText('Confirmed', { exact: true }).waitFor();
    await changeOrder(shop, id, `status = 'CANCELLED', cancelled_at = now()`);
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await page.context().close();
  });
});
