import type { Page } from 'playwright-core';
import { booksOf, dispute, entries, failedRefund } from './_books.ts';
import { type Answer, ann, describePages, logIn, Reply, useConsole } from './_console.ts';
import { order } from './_order.ts';

let books: unknown;
let steps: object[] = [];
let returned: object[] = [];
beforeEach(() => {
  books = booksOf();
  steps = [];
  returned = [];
});

const step = {
  ...{ id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', kind: 'charge', orderId: order.id, customerId: order.customerId },
  ...{ amount: { amount: 12.5, currency: 'USD' }, provider: 'stripe', intentId: 'pi_3ABC', attempts: 31 },
  ...{ createdAt: '2026-03-01T03:40:00.000Z', openSince: '2026-03-02T03:40:00.000Z' },
};
const refund = { ...step, id: '7c9e6679-7425-40de-944b-e07fc1f90ae8', kind: 'refund', intentId: null, provider: null };

/** Pages of one item. */
function returnedPage(path: string) {
  const asked = new URL(path, 'http://payment').searchParams;
  const found = returned.filter(
    (one) => !asked.has('state') || (one as { state: string }).state === asked.get('state'),
  );
  const at = Number(asked.get('after') ?? 0);
  return { returned: found.slice(at, at + 1), next: at + 1 < found.length ? String(at + 1) : null };
}

const payment: Answer = (method, path) => {
  if (path.startsWith('/internal/returned-money?')) return returnedPage(path);
  if (path === '/internal/books') return books;
  if (path === '/internal/payment-steps?state=open&size=20') return { steps: steps.slice(0, 20), next: null };
  if (method === 'POST' && path === `/internal/payment-steps/${step.id}/settlement`) {
    steps = [];
    return new Reply(204, '');
  }
  if (path.endsWith('/settlement')) return new Reply(409, { detail: 'The step is not open: it was settled.' });
  if (path === `/internal/books/orders/${order.id}`) return entries;
  return path.startsWith('/internal/books/orders/') ? [] : undefined;
};
const console = useConsole(() => ({ payment }), { env: { GROUPS: '' } });

it('the books are those of payment, and entries those of an order', async () => {
  expect((await console.read('/api/books').expect(200)).body).toEqual(books);
  expect((await console.read(`/api/books/${order.id}`).expect(200)).body).toEqual(entries);
  await console.read('/api/books/1').expect(404);
});

it('an open payment is settled by the operator, with evidence', async () => {
  steps = [step];
  expect((await console.read('/api/payment-steps').expect(200)).body).toEqual({ steps: [step], next: null });
  const path = `/api/payment-steps/${step.id}/settlement`;
  await console.send('post', path).send({ outcome: 'paid' }).expect(400);
  await console.send('post', path).send({ outcome: 'guessed', evidence: 'none' }).expect(400);
  const found = { outcome: 'paid', evidence: 'The dashboard says succeeded.' };
  await console.send('post', path).send(found).expect(204);
  expect(console.asked.at(-1)).toMatchObject({ method: 'POST', body: found, operator: encodeURIComponent(ann) });
  await console.send('post', path.replace(step.id, refund.id)).send(found).expect(409);
});

it('refunds and disputes are those of payment, by state and page', async () => {
  returned = [failedRefund, dispute];
  expect((await console.read('/api/returned-money').expect(200)).body).toEqual({ returned: [failedRefund], next: '1' });
  const second = await console.read('/api/returned-money?after=1').expect(200);
  expect(second.body).toEqual({ returned: [dispute], next: null });
  const open = await console.read('/api/returned-money?state=OPEN').expect(200);
  expect(open.body).toEqual({ returned: [dispute], next: null });
  await console.read('/api/returned-money?state=GONE').expect(400);
});

it('nobody reads or settles anything without a session', async () => {
  await console.read('/api/returned-money', '').expect(401);
  await console.read('/api/books', '').expect(401);
  await console.read('/api/payment-steps', '').expect(401);
  await console.send('post', `/api/payment-steps/${step.id}/settlement`, '').send({}).expect(401);
  await console.read(`/api/books/${order.id}`, '').expect(401);
});

describePages('the page of the books', (open) => {
  let page: Page;
  const show = async (path = '#/books') => {
    page = await open();
    await logIn(page, console, path);
    await page.getByRole('heading', { level: 1, name: 'Books' }).waitFor();
  };
  const rowsOf = async (region: string) => {
    const table = page.getByRole('region', { name: region });
    await table.waitFor();
    const rows = await table.getByRole('row').all();
    return Promise.all(rows.slice(1).map(async (row) => (await row.textContent()) ?? ''));
  };

  it('has the balances, and the differences of the whole last run with their orders', async () => {
    await show();
    const balances = await rowsOf('Balances');
    const accounts = page.getByRole('region', { name: 'Balances' }).getByRole('rowheader');
    expect(await accounts.allTextContents()).toEqual(['provider', 'revenue', 'tax', 'unearned']);
    expect(balances[0]).toContain('$1,234.50');
    const differences = await rowsOf('Reconciliation');
    expect(differences.map((text) => /Missing in the books|Missing at the provider|Different/.exec(text)?.[0])).toEqual(
      ['Missing in the books', 'Missing at the provider', 'Different'],
    );
    const region = page.getByRole('region', { name: 'Reconciliation' });
    expect(await region.textContent()).toContain('3 differences');
    expect(await region.textContent()).toContain('2 payments are not in the books yet.');
    expect(await region.getByRole('link').count()).toBe(2);
    expect(await region.textContent()).toContain('pi_3ABC');
  });

  it('finds the entries of an order, and says if there are none', async () => {
    await show();
    await page.getByLabel('Order').fill(order.id);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Entries' }).getByText('charge').first().waitFor();
    const [provider, unearned] = await rowsOf('Entries');
    expect(provider).toMatch(/charge[\s\S]*provider[\s\S]*\$12\.50/);
    expect(unearned).toMatch(/charge[\s\S]*unearned[\s\S]*\$12\.50/);
    await page.getByLabel('Order').fill('0b0b0b0b-0000-4000-8000-000000000009');
    await page.keyboard.press('Enter');
    await page.getByText('The books have no such order.').waitFor();
  });

  it('lists open payments, which are settled with evidence', async () => {
    steps = [step, refund];
    await show();
    const rows = await rowsOf('Open payments');
    expect(rows[0]).toMatch(/charge[\s\S]*\$12\.50[\s\S]*pi_3ABC/);
    expect(rows[1]).toMatch(/refund[\s\S]*not known/);
    await page.getByRole('button', { name: `Settle the charge of order ${order.id}` }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('radio').count()).toBe(2);
    await dialog.getByLabel('The customer has paid').check();
    await dialog.getByLabel('Evidence').fill('The dashboard says succeeded.');
    await dialog.getByRole('button', { name: 'Settle it' }).click();
    const region = page.getByRole('region', { name: 'Open payments' });
    await region.getByText('The outcome of every payment is known.').waitFor();
    const body = { outcome: 'paid', evidence: 'The dashboard says succeeded.' };
    expect(console.asked.findLast(({ method }) => method === 'POST')).toMatchObject({ body });
  });

  it('lists refunds and disputes with links to their orders, page by page, and by their state', async () => {
    returned = [failedRefund, dispute];
    await show();
    const region = page.getByRole('region', { name: 'Refunds and disputes' });
    await region.getByText('The provider has refused it.').waitFor();
    expect(await rowsOf('Refunds and disputes')).toEqual([expect.stringMatching(/refund[\s\S]*\$4\.25[\s\S]*FAILED/)]);
    expect(await region.getByRole('link').first().getAttribute('href')).toBe(`#/orders/${order.id}`);
    await region.getByRole('button', { name: 'Next page' }).click();
    await region.getByText('OPEN', { exact: true }).waitFor();
    expect(await rowsOf('Refunds and disputes')).toEqual([expect.stringMatching(/dispute[\s\S]*\$4\.25/)]);
    await region.getByRole('button', { name: 'First page' }).click();
    await region.getByText('FAILED', { exact: true }).waitFor();
    await region.getByLabel('Show').selectOption('Disputes that are open');
    await region.getByText('OPEN', { exact: true }).waitFor();
    await region.getByLabel('Show').selectOption('Disputes that are won');
    await region.getByText('There are none.').waitFor();
  });

  it('says what is wrong, what is not booked, and that nothing was compared yet', async () => {
    books = booksOf({ problems: ['The accounts in USD do not add up to zero.'], unbooked: 1234, reconciliations: [] });
    await show();
    await page.getByText('The accounts in USD do not add up to zero.').waitFor();
    await page.getByText('1,234 payments are not in the books yet.').waitFor();
    await page.getByText('There was none yet.').waitFor();
  });
});
