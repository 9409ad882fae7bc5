import { ada, anAccount } from './_accounts.ts';
import { catalogueOf } from './_catalogue.ts';
import { type Answer, describePages, logIn, Reply, useConsole } from './_console.ts';
import { aLetter, at, order } from './_order.ts';

/** Texts by people, from right to left or in both directions. Each ends in characters without a direction of their own. */
const written = {
  customer: 'דנה כהן (2)',
  operator: 'عمر - 7',
  email: 'דנה@example.com',
  product: 'שמן זית 0.75 "בית"',
  unit: 'ליטר - 1',
  category: 'مشروبات 3',
  note: 'שולם - 50 (Visa)',
  street: 'רחוב הרצל 5',
  city: 'תל אביב 2',
  key: 'מפתח 1',
  agent: 'دفتر 4',
  subject: 'ההזמנה שלך 17',
  reason: 'כפול 2',
  sought: 'לא כלום 9',
};
const id = ada.id;
const account = { ...ada, name: written.customer, email: written.email };
const mail = { id: aLetter.id, customerId: id, kind: 'OrderCreated', subject: written.subject, createdAt: at };
const record = {
  ...order,
  customerId: id,
  items: [{ productId: id, name: written.product, quantity: 3, unitPrice: order.total }],
  shippingAddress: {
    name: written.customer,
    lines: [written.street],
    postalCode: '6100',
    city: written.city,
    region: null,
    country: 'IL',
  },
  notes: [{ id: aLetter.id, kind: 'NOTE', actor: `operator ${written.operator}`, text: written.note, createdAt: at }],
};
const changed = (name: string) => ({ name, category: written.category });
const change = {
  id: '7',
  at,
  actor: `operator ${written.operator}`,
  kind: 'product',
  subject: order.id,
  before: changed(written.product),
  after: changed(written.unit),
};
const letters = [{ letterId: aLetter.id, eventId: null, outcome: 'DISCARDED', reason: written.reason, at }].map(
  (entry) => ({ ...entry, requestedBy: written.operator }),
);
const page = { size: 20, number: 0, totalElements: 1, totalPages: 1 };
const catalogue = catalogueOf('4.5', {
  own: { name: written.product, unit: written.unit, category: written.category, description: '', images: [] },
});
const store: Answer = (method, path, ...rest) => {
  if (path.startsWith('/internal/audit')) return [change];
  if (path === '/internal/mails') return [mail];
  if (path === `/internal/mails/${mail.id}`)
    return { ...mail, to: { name: written.customer, address: written.email }, text: written.note, html: '' };
  if (path.startsWith('/internal/orders?')) return [record];
  if (path.startsWith('/notifications?')) return { content: [{ ...mail, orderId: order.id, text: '' }], page };
  if (path === `/internal/orders/${order.id}`) return record;
  if (path.startsWith('/internal/dead-letters/audit')) return { group: 'payment-group', entries: letters };
  if (path.startsWith('/internal/dead-letters')) return { group: 'payment-group', total: 0, letters: [] };
  return catalogue(method, path, ...rest);
};
const accounts: Answer = (_, path) => {
  if (path.startsWith('/internal/account-names')) return [{ id, name: written.customer }];
  return path.startsWith('/internal/accounts?') && !path.includes(encodeURIComponent('לא')) ? [account, ada] : [];
};
const auth: Answer = (method, path, ...rest) => {
  if (path.endsWith('/sessions')) return [{ id, since: at, address: '192.0.2.7', userAgent: written.agent }];
  if (!path.endsWith('/keys')) return anAccount().auth(method, path, ...rest);
  return [{ id, name: written.key, scopes: ['orders:read'], createdAt: at, expiresAt: at, lastUsedAt: null }];
};

describePages('text from right to left', (open) => {
  const console = useConsole(
    () => ({
      ...{ order: store, payment: store, product: store, notification: store, auth, account: accounts },
      ...{ inventory: store, invoice: () => new Reply(200, { content: [], page }) },
    }),
    { env: { GROUPS: 'payment' } },
  );

  /** Finds texts and fields that would reorder their neighbours (Unicode TR9), because no element around them isolates direction. */
  const turning = `
    const strong = /[\\u0590-\\u08ff]/;
    const texts = ${JSON.stringify([...Object.values(written), `6100 ${written.city}`])};
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!strong.test(node.data) || node.parentElement.closest('.timeline, title, option, dialog:not([open])')) continue;
      const isolate = node.parentElement.closest('bdi, [dir="auto"]');
      const own = isolate?.textContent.replace(/^(operator|account) /, '');
      if (!texts.includes(own)) found.push(node.parentElement.tagName + ': ' + node.data);
    }
    for (const field of document.querySelectorAll('input, textarea, option'))
      if (strong.test(field.value) && field.dir !== 'auto') found.push(field.tagName + ': ' + field.value);
    found`;

  it.each([
    ['orders', `orders?sought=${written.customer}`, written.email],
    ['order', `orders/${order.id}`, written.note],
    ['dead-letters', `dead-letters?${written.sought}`, written.reason],
    ['stock', `stock/${id}`, written.unit],
    ['mails', `mails/${mail.id}`, written.email],
    ['accounts', `accounts?${written.customer}`, written.email],
    ['no account', `accounts?${written.sought}`, written.sought],
    ['account', `accounts/${id}`, written.agent],
    ['audit', `audit?person=${written.operator}`, written.unit],
  ])('does not reorder its neighbours: %s', async (_, path, shown) => {
    const tab = await logIn(await open(), console, `#/${encodeURI(path)}`);
    await tab.locator('main').getByText(shown).first().waitFor();
    expect(await tab.evaluate(turning)).toEqual([]);
  });

  it("leaves the operator's name before the badge next to it", async () => {
    const tab = await open();
    await tab.goto(`${console.origin}/console/`);
    await tab.getByLabel('Your name').fill(written.operator);
    expect(await tab.getByLabel('Your name').getAttribute('dir')).toBe('auto');
    await tab.getByLabel('Token').fill('a-token-of-the-console-0123456789');
    await tab.getByRole('button', { name: 'Use the token' }).click();
    await tab.getByText('shared token').waitFor();
    expect(await tab.evaluate(turning)).toEqual([]);
  });
});
