import type { Page } from 'playwright-core';
import { findings } from '../../../tests/kit/axe.ts';
import { type Look, lookAt, looks } from '../../../tests/kit/looks.ts';
import type { PageName } from '../pages/pages.ts';
import { createHistory, everyMs } from '../src/watch/history.ts';
import { ada, anAccount } from './_accounts.ts';
import { booksOf, dispute, entries, failedRefund } from './_books.ts';
import { catalogueOf } from './_catalogue.ts';
import { type Answer, describePages, logIn, useConsole } from './_console.ts';
import { aLetter, at, order } from './_order.ts';

const orderId = order.id;
const letterId = aLetter.id;
const entry = { letterId, eventId: null, outcome: 'REDRIVEN', reason: null, requestedBy: 'ann', at };

/** Answers for all services. */
const catalogue = catalogueOf('4.5');
const change = {
  id: '7',
  at,
  actor: `operator ${ada.id}`,
  kind: 'stock',
  subject: orderId,
  before: null,
  after: {
    available: 5,
    name: 'x'.repeat(80),
    images: Array(3).fill(`https://example.com/${'picture'.repeat(9)}.jpg`),
  },
};
const mail = { id: letterId, customerId: order.customerId, kind: 'OrderCreated', subject: 'Your order', createdAt: at };
const page = { size: 20, number: 0, totalElements: 1, totalPages: 1 };
const invoice = {
  number: 17,
  orderId,
  customerId: order.customerId,
  paymentId: letterId,
  amount: order.total,
  paidAt: at,
  createdAt: at,
};
const store: Answer = (method, path, ...rest) => {
  if (path.startsWith('/internal/audit')) return [change];
  if (path === '/internal/mails') return [mail];
  if (path === '/internal/books') return booksOf();
  if (path.startsWith('/internal/returned-money')) return { returned: [failedRefund, dispute], next: null };
  if (path.startsWith('/internal/books/orders/')) return entries;
  if (path.startsWith('/internal/orders?')) return [order];
  if (path.startsWith('/notifications?')) return { content: [{ ...mail, orderId, text: 'Thank you.' }], page };
  if (path.startsWith('/invoices?')) return { content: [invoice], page };
  if (path.startsWith('/internal/stuck-orders')) return { total: 1, orders: [order], next: null };
  if (path === `/internal/orders/${orderId}`) return order;
  if (path.startsWith('/internal/dead-letters/audit')) return { group: 'payment-group', entries: [entry] };
  if (path.startsWith('/internal/dead-letters')) return { group: 'payment-group', total: 1, letters: [aLetter] };
  return catalogue(method, path, ...rest);
};

/** Address of each page, and a text on it. */
const pages = Object.entries({
  now: ['now', 'Age of the outbox'],
  orders: ['orders', orderId],
  order: [`orders/${orderId}`, 'Waits for'],
  'dead-letters': ['dead-letters', 'OrderPaid'],
  stock: ['stock', 'Tea'],
  books: [`books/${orderId}`, 'Missing in the books'],
  mails: ['mails', 'Your order'],
  accounts: ['accounts?ada', ada.email],
  account: [`accounts/${ada.id}`, 'Shipping'],
  audit: ['audit', 'available: '],
  nowhere: ['constructor', 'nothing at this address'],
} satisfies Record<PageName | 'order' | 'account' | 'nowhere', [path: string, shown: string]>);
const problem = { status: 503, contentType: 'application/problem+json' };
/** Behaviour of the console's server, and the looks in which pages differ then. */
const states: [state: string, seen: readonly Look[], prepare: (page: Page) => Promise<unknown>][] = [
  ['as the store is', looks, async () => undefined],
  ['loading', looks.slice(-1), (page) => page.route('**/console/api/**', () => new Promise(() => undefined))],
  [
    'failing',
    looks.slice(-2),
    (page) =>
      page.route('**/console/api/**', (route) =>
        route.fulfill({ ...problem, body: JSON.stringify({ detail: 'It is away.', traceId: 'abc123' }) }),
      ),
  ],
];
const asksNothing = ['nowhere'];

describePages('the console is accessible', (newPage) => {
  const history = createHistory();
  const console = useConsole(
    () => ({
      ...{ order: store, payment: store, inventory: store, product: store, notification: store, invoice: store },
      ...anAccount(),
    }),
    {
      env: { GROUPS: 'payment' },
      history,
    },
  );

  beforeAll(async () => {
    const replica = { address: '10.1.2.3:8080', waitingFor: ['Kafka'], samples: [] };
    const replicas = [
      { ...replica, service: 'order', state: 'UP' as const },
      { ...replica, service: 'payment', state: 'DOWN' as const },
    ];
    for (let point = 0; point < 60; point += 1) history.add(Date.now() - (60 - point) * everyMs, replicas);
  });

  async function open(path: string, prepare: (page: Page) => Promise<unknown> = async () => undefined) {
    const page = await newPage({ reducedMotion: 'reduce' });
    await prepare(page);
    await logIn(page, console, `#/${path}`);
    await page.getByRole('navigation').waitFor();
    return page;
  }

  it.each(states)(
    'on every page, %s',
    async (state, seen, prepare) => {
      const picture = state === 'as the store is' ? '' : `-${state}`;
      const page = await open('', prepare);
      const flaws: string[] = [];
      for (const [name, [path, shown]] of pages) {
        await page.evaluate(`location.hash = '#/${path}'`);
        const expected: Record<string, string> = { loading: 'Loading…', failing: 'It is away. Trace id: abc123' };
        const text = asksNothing.includes(name) ? shown : (expected[state] ?? shown);
        await page.locator('main').getByText(text).first().waitFor();
        flaws.push(...(await lookAt(page, `console-${name}${picture}`, seen)));
      }
      expect(flaws).toEqual([]);
    },
    300_000,
  );

  it.each(['Redrive', 'Discard'])('in the dialog to %s', async (verb) => {
    const page = await open('dead-letters');
    await page.getByLabel(`Select ${letterId}`).check();
    const [first] = await page.locator('main > *').evaluateAll((elements) => elements.map(({ tagName }) => tagName));
    expect(first).toBe('H1'); // not the audit trail
    await page.getByRole('button', { name: `${verb} 1 letter` }).click();
    await page.getByRole('dialog').waitFor();
    expect(await findings(page)).toEqual([]);
  });
});
