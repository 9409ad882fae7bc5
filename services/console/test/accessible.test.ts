import type { Page } from 'playwright-core';
import { findings } from '../../../tests/kit/axe.ts';
import { createHistory, everyMs } from '../src/watch/history.ts';
import { catalogueOf } from './_catalogue.ts';
import { type Answer, describePages, logIn, useConsole } from './_console.ts';
import { aLetter, at, order } from './_order.ts';

const orderId = order.id;
const letterId = aLetter.id;
const entry = { letterId, eventId: null, outcome: 'REDRIVEN', reason: null, requestedBy: 'ann', at };

/** All services at once. */
const catalogue = catalogueOf('4.5');
const change = {
  id: '7',
  at,
  actor: 'operator ann',
  kind: 'stock',
  subject: orderId,
  before: null,
  after: { available: 5 },
};
const store: Answer = (method, path, ...rest) => {
  if (path.startsWith('/internal/audit')) return [change];
  if (path.startsWith('/internal/stuck-orders')) return { total: 1, orders: [order], next: null };
  if (path === `/internal/orders/${orderId}`) return order;
  if (path.startsWith('/internal/dead-letters/audit')) return { group: 'payment-group', entries: [entry] };
  if (path.startsWith('/internal/dead-letters')) return { group: 'payment-group', total: 1, letters: [aLetter] };
  return catalogue(method, path, ...rest);
};

/** By what they show. */
const pages = [
  ['now', 'Age of the outbox'],
  ['orders', orderId],
  [`orders/${orderId}`, 'Waits for'],
  ['dead-letters', 'OrderPaid'],
  ['stock', 'Tea'],
  ['audit', 'operator ann'],
] as const;
const problem = { status: 503, contentType: 'application/problem+json' };
const states: [string, (page: Page) => Promise<unknown>][] = [
  ['as the store is', async () => undefined],
  ['loading', (page) => page.route('**/console/api/**', () => new Promise(() => undefined))],
  [
    'failing',
    (page) =>
      page.route('**/console/api/**', (route) =>
        route.fulfill({ ...problem, body: JSON.stringify({ detail: 'It is away.', traceId: 'abc123' }) }),
      ),
  ],
];

describePages('everybody can use the console', (newPage) => {
  const history = createHistory();
  const console = useConsole(() => ({ order: store, payment: store, inventory: store, product: store }), {
    env: { GROUPS: 'payment' },
    history,
  });

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

  const table = states.flatMap(([state, prepare]) => pages.map(([path, shown]) => ({ state, prepare, path, shown })));
  it.each(table)('$path, $state', async ({ state, prepare, path, shown }) => {
    const page = await open(path, prepare);
    if (state === 'failing') await page.getByText('It is away. Trace id: abc123').first().waitFor();
    if (state === 'as the store is') await page.locator('main').getByText(shown).first().waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findings(page)).toEqual([]);
    }
  });

  it.each(['Redrive', 'Discard'])('the dialog of what to %s', async (verb) => {
    const page = await open('dead-letters');
    await page.getByLabel(`Select ${letterId}`).check();
    const [first] = await page.locator('main > *').evaluateAll((elements) => elements.map(({ tagName }) => tagName));
    expect(first).toBe('H1'); // not the audit trail
    await page.getByRole('button', { name: `${verb} 1 letter` }).click();
    await page.getByRole('dialog').waitFor();
    expect(await findings(page)).toEqual([]);
  });
});
