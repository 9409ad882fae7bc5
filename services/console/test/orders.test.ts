import type { Page } from 'playwright-core';
import { findings } from '../../../tests/kit/axe.ts';
import { until } from '../../../tests/kit/until.ts';
import { type Answer, describePages, logIn, Reply, useConsole } from './_console.ts';
import { at, order as pending } from './_order.ts';

const productId = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const item = { productId, name: 'Tea', quantity: 3, unitPrice: { amount: 4.25, currency: 'USD' } };
const ada = {
  id: pending.customerId,
  name: 'Ada <b>Lovelace</b>',
  email: 'ada+1@example.com',
  locale: 'en',
  createdAt: at,
};
const order = { ...pending, id: '48b50ee5-0000-4000-8000-000000000001', items: [item] };
const other = { ...order, id: '48b50ee5-0000-4000-8000-000000000002' };
const ids = { orderId: order.id, customerId: ada.id };
const mail = {
  ...ids,
  id: '00000000-0000-8000-8000-000000000007',
  kind: 'OrderCreated',
  text: 'Thank you.',
  createdAt: at,
};
const mails = [
  { ...mail, subject: 'We have received your order', sentAt: at },
  { ...mail, id: '00000000-0000-8000-8000-000000000008', subject: 'Your order is paid', waitsFor: 'digest' },
];
const amount = { amount: 12.75, currency: 'USD' };
const refund = {
  ...{ id: '00000000-0000-8000-8000-000000000009', orderId: order.id, amount: { amount: 4.25, currency: 'USD' } },
  ...{ state: 'PENDING', lines: [{ productId, quantity: 1 }], createdAt: at, updatedAt: at, source: 'operator' },
  ...{ reason: 'It arrived broken.', actor: `operator ${productId}`, failure: null },
};
const dispute = { ...refund, providerRef: 'dp_1', state: 'OPEN' };
const invoice = { ...ids, number: 17, paymentId: productId, amount, paidAt: at, createdAt: at };
const pageOf = (...content: object[]) => ({
  content,
  page: { size: 20, number: 0, totalElements: content.length, totalPages: 1 },
});
const nextPage = { Link: '</internal/orders?after=the-cursor>; rel="next"' };

const parcel = { carrier: 'CTT Expresso', trackingNumber: 'DB1', trackingUrl: 'https://ctt.pt/DB1' };

/** State of the services, which tests change. */
const begun = { status: 'PENDING', isAway: false, isSilent: false, sendsMail: true, isMailAway: false, isSpent: false };
const kept = { notes: [] as object[], refunds: [] as object[], ...begun };
beforeEach(() => {
  Object.assign(kept, { notes: [], refunds: [], ...begun });
});

const answers: Record<string, Answer> = {
  order(_, path, body) {
    const query = new URLSearchParams(path.split('?')[1]);
    if (kept.isSilent) return new Reply(503, { detail: 'It is away.' });
    if (path.startsWith('/internal/orders?')) {
      const prefix = query.get('idPrefix')?.toLowerCase();
      if (prefix !== undefined) return [order, other].filter(({ id }) => id.startsWith(prefix));
      if (query.get('minTotal') === 'x') return new Reply(400, { detail: 'query.minTotal: must be an amount' });
      return query.has('after') ? [other] : new Reply(200, [order], nextPage);
    }
    if (path === `/internal/orders/${order.id}/cancellation`) {
      if (kept.status === 'SHIPPED') return new Reply(409, { detail: 'The order has been shipped.' });
      kept.status = 'CANCELLED';
      return new Reply(201, { ...order, status: 'CANCELLED', cancelledAt: at });
    }
    if (path === `/internal/orders/${order.id}/shipments`) {
      if (kept.status !== 'CONFIRMED') return new Reply(409, { detail: 'The order is not paid yet.' });
      kept.status = 'SHIPPED';
      return new Reply(201, { id: productId, orderId: order.id, shippedAt: at, ...parcel });
    }
    const [, noteId] = /^\/internal\/orders\/[^/]+\/notes\/(.*)$/.exec(path) ?? [];
    if (noteId !== undefined) {
      if (kept.isAway) return new Reply(503, { detail: 'It is away.' });
      const { text } = body as { text: string };
      kept.notes = [{ id: noteId, kind: 'NOTE', actor: 'operator ann', text, createdAt: at }];
      return new Reply(204, '');
    }
    if (path === `/internal/orders/${order.id}`) {
      const cancelled = kept.status === 'CANCELLED' && { status: 'CANCELLED', cancelledAt: at };
      const confirmed = kept.status === 'CONFIRMED' && { status: 'CONFIRMED', paidAt: at };
      const shipped = kept.status === 'SHIPPED' && { status: 'CONFIRMED', paidAt: at, shippedAt: at, shipment: parcel };
      return { ...order, ...cancelled, ...confirmed, ...shipped, notes: kept.notes };
    }
    return path.startsWith('/internal/stuck-orders') ? { total: 0, orders: [], next: null } : undefined;
  },
  account(_, path) {
    const query = new URLSearchParams(path.split('?')[1]);
    if (path.startsWith('/internal/account-names'))
      return [ada, { id: productId, name: 'Ben' }].filter(({ id }) => query.getAll('id').includes(id));
    if (query.get('email') === ada.email) return [ada];
    return query.get('q') === 'lovelace' ? [ada, { ...ada, id: productId, name: 'Lovelace & Sons' }] : [];
  },
  notification(method) {
    if (method === 'PUT') return new Reply(204, '');
    if (kept.isMailAway) return new Reply(503, { detail: 'It is away.' });
    return pageOf(...mails.map((mail) => (kept.sendsMail ? mail : { ...mail, canBeResent: false })));
  },
  payment(method, path) {
    if (method === 'POST') {
      if (kept.isSpent) return new Reply(409, { detail: 'The refund exceeds what is left of the payment.' });
      kept.refunds = [refund];
      return new Reply(201, refund);
    }
    if (path !== `/internal/payments/${order.id}`) return undefined;
    const payment = { ...ids, status: 'PAID', amount, paymentId: productId, reason: null, events: [] };
    return { ...payment, createdAt: at, updatedAt: at, refunds: kept.refunds, disputes: [dispute] };
  },
  invoice(_, path) {
    if (path === `/internal/orders/${order.id}/invoice`) return { ...invoice, seller: 'Tea Ltd.' };
    return path === '/invoices?number=18' ? pageOf() : pageOf(invoice);
  },
};
const services = () => answers;

describe('a search', () => {
  const console = useConsole(services, { env: { GROUPS: '' } });
  const search = async (sought: string) => {
    const { body } = await console.read(`/api/order-search?${new URLSearchParams({ sought })}`).expect(200);
    expect(body.problems).toEqual([]);
    return [...body.orders, ...body.customers].map(({ id }) => id);
  };

  it.each([
    ['48B50EE5', [order.id, other.id]],
    ['Order 48b50ee5', [order.id, other.id]],
    ['#48B50EE5', [order.id, other.id]],
    [order.id, [order.id]],
    ['ffffffff', []],
    ['17', [order.id]],
    ['Invoice 17', [order.id]],
    ['INV-17', [order.id]],
    ['invoice #17', [order.id]],
    ['18', []],
    ['0', []],
    [ada.email, [ada.id]],
    ['lovelace', [ada.id, productId]],
    ['nobody', []],
  ])('for %s finds orders and customers', async (sought, expected) => {
    expect(await search(sought)).toEqual(expected);
  });
});

describe('a search while account is away', () => {
  const console = useConsole(() => ({ ...answers, account: () => new Reply(500, {}) }));

  it('finds what other services know, and names account', async () => {
    const { body } = await console.read('/api/order-search?sought=48b50ee5').expect(200);
    expect(body.orders).toMatchObject([{ customerName: null }, { customerName: null }]);
    expect(body.problems).toEqual([expect.stringContaining('The account service')]);
  });
});

describe("an operator's action on an order", () => {
  const console = useConsole(services, { env: { GROUPS: '' } });
  beforeEach(() => {
    console.asked.length = 0;
  });
  const asked = () => console.asked.map(({ method, path, body, operator }) => ({ method, path, body, operator }));

  it("is passed to the service under the operator's name", async () => {
    const [noteId, copyId] = [mail.id, productId];
    await console.send('post', `/api/orders/${order.id}/cancellation`).send({ reason: 'Wrong size.' }).expect(204);
    await console.send('put', `/api/orders/${order.id}/notes/${noteId}`).send({ text: 'Called.' }).expect(204);
    await console.send('put', `/api/messages/${mail.id}/copies/${copyId}`).expect(204);
    kept.status = 'CONFIRMED';
    await console.send('post', `/api/orders/${order.id}/shipments`).send(parcel).expect(204);
    const operator = encodeURIComponent('ann (shared token)');
    const path = `/internal/orders/${order.id}`;
    expect(asked()).toEqual([
      { method: 'POST', path: `${path}/cancellation`, body: { reason: 'Wrong size.' }, operator },
      { method: 'PUT', path: `${path}/notes/${noteId}`, body: { text: 'Called.' }, operator },
      { method: 'PUT', path: `/internal/notifications/${mail.id}/copies/${copyId}`, body: undefined, operator },
      { method: 'POST', path: `${path}/shipments`, body: parcel, operator },
    ]);
  });

  it('refunds lines or an exact amount, with the key of the page', async () => {
    const path = `/api/orders/${order.id}/refunds/${mail.id}`;
    const lines = { lines: refund.lines, reason: 'Broken.' };
    await console.send('put', path).send(lines).expect(204);
    const money = { amount: { amount: '999999999999999999.99', currency: 'USD' }, reason: 'Broken.' };
    await console.send('put', path).send(money).expect(204);
    const [first, second] = console.asked;
    expect(first).toMatchObject({ method: 'POST', path: `/internal/orders/${order.id}/refunds`, body: lines });
    expect(second?.text).toContain('"amount":{"amount":999999999999999999.99,"currency":"USD"}');
    await console
      .send('put', path)
      .send({ ...money, amount: { amount: '1e2', currency: 'USD' } })
      .expect(400);
    kept.isSpent = true;
    const { status, body } = await console.send('put', path).send(lines);
    expect([status, body.detail]).toEqual([409, 'The refund exceeds what is left of the payment.']);
  });

  it("is refused in the service's words", async () => {
    kept.status = 'SHIPPED';
    const { status, body } = await console.send('post', `/api/orders/${order.id}/cancellation`).send({ reason: 'x' });
    expect([status, body.detail]).toEqual([409, 'The order has been shipped.']);
    kept.status = 'PENDING';
    const shipment = await console.send('post', `/api/orders/${order.id}/shipments`).send({});
    expect([shipment.status, shipment.body.detail]).toEqual([409, 'The order is not paid yet.']);
  });

  it('shows the invoice as the customer sees it, ready to print and without scripts', async () => {
    const path = `/api/orders/${order.id}/invoice`;
    const { body } = await console.read(path).set('Accept', 'application/json').expect(200);
    expect(body).toMatchObject({ number: 17, seller: 'Tea Ltd.', lines: [item] });
    const page = await console.read(path).set('Accept', 'text/html').expect(200);
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(page.text).toContain('<h1>Invoice 17</h1>');
    await console.http().get(path).expect(401);
  });
});

const names = useConsole(services, { env: { GROUPS: '' } });

it.each([
  [`operator ${productId}`, 'operator Ben'],
  [`operator ${order.id}`, `operator ${order.id}`],
  ['operator ann', 'operator ann'],
])('a note by the actor %s is shown as by %s', async (actor, shown) => {
  kept.notes = [{ id: mail.id, kind: 'NOTE', actor, text: 'Called.', createdAt: at }];
  const { body } = await names.read(`/api/orders/${order.id}`).expect(200);
  expect(body.order.notes).toMatchObject([{ actor: shown }]);
  expect(body.customer).toBe(ada.name);
  expect(body.timeline).toContainEqual(expect.objectContaining({ text: `${shown} noted: Called.` }));
});

describePages('the page of the orders', (open) => {
  const console = useConsole(services, { env: { GROUPS: '' } });
  let page: Page;
  const find = async (sought: string) => {
    await page.getByLabel('Order, invoice, name or e-mail address').fill(sought);
    await page.keyboard.press('Enter');
  };
  const hash = () => page.evaluate<string>('location.hash');

  beforeEach(async () => {
    page = await open({ viewport: { width: 1_000, height: 800 } });
  });

  it('hides the order if a search finds nothing, and opens the only result', async () => {
    await logIn(page, console, `#/orders/${order.id}`);
    await page.getByRole('heading', { name: `Order ${order.id}` }).waitFor();
    await find('ffffffff');
    await page.getByText('No order was found.').waitFor();
    expect(await page.getByRole('region', { name: 'Order', exact: true }).count()).toBe(0);
    await page.goBack();
    await page.getByRole('heading', { name: `Order ${order.id}` }).waitFor();
    await find('17');
    await until('the order is shown in place of the search', async () => (await hash()) === `#/orders/${order.id}`);
    await find('ada+1@example.com');
    await page.getByRole('heading', { name: `Orders of ${ada.name}` }).waitFor();
    expect(await hash()).toBe(`#/orders?customer=${ada.id}`);
    await find('lovelace');
    await page.getByRole('link', { name: 'Lovelace & Sons' }).waitFor();
  });

  it("lists orders by the page's address, page by page, and goes back", async () => {
    await logIn(page, console, `#/orders?customer=${ada.id}&status=PENDING`);
    const list = page.getByRole('region', { name: 'All orders' });
    await list.getByRole('link', { name: order.id }).waitFor();
    expect(await list.getByRole('link', { name: ada.name }).getAttribute('href')).toBe(`#/accounts/${ada.id}`);
    await list.getByLabel('Placed from').fill('2026-01-31');
    await list.getByLabel('Placed until').fill('2026-02-01');
    await list.getByLabel('Total from').fill('1.50');
    await list.getByRole('button', { name: 'Show' }).click();
    await list.getByRole('link', { name: 'Next page' }).click();
    await list.getByRole('link', { name: other.id }).waitFor();
    const last = console.asked.findLast(({ path }) => path.startsWith('/internal/orders?'))?.path ?? '';
    expect(Object.fromEntries(new URL(last, console.origin).searchParams)).toEqual({
      status: 'PENDING',
      accountId: ada.id,
      createdFrom: '2026-01-31T00:00:00.000Z',
      createdTo: '2026-02-02T00:00:00.000Z',
      minTotal: '1.50',
      after: 'the-cursor',
    });
    await page.goBack();
    await list.getByRole('link', { name: order.id }).waitFor();
    expect(await list.getByLabel('Total from').inputValue()).toBe('1.50');
    await page.goBack();
    await until('the filter is the one before', async () => (await list.getByLabel('Total from').inputValue()) === '');
    await page.evaluate(`location.hash = '#/orders?min=x'`);
    await page.getByRole('alert').getByText('minTotal: must be an amount', { exact: true }).waitFor();
    await list.getByLabel('Total from').fill('');
    await list.getByLabel('Currency').fill('usd');
    await list.getByRole('button', { name: 'Show' }).click();
    await until('the currency is in capitals', async () => (await hash()) === '#/orders?currency=USD');
    await find('  ');
    expect(await hash()).toBe('#/orders?currency=USD');
  });

  it('links an order to its customer, products and invoice, and shows the state of its mails', async () => {
    await logIn(page, console, `#/orders/${order.id}`);
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    expect(await link('Ada <b>Lovelace</b>').getAttribute('href')).toBe(`#/accounts/${ada.id}`);
    expect(await link('Tea').getAttribute('href')).toBe(`#/stock/${productId}`);
    const opened = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Invoice 17' }).click();
    await (await opened).getByRole('heading', { name: 'Invoice 17' }).waitFor();
    await page.getByRole('row', { name: /We have received your order.*sent/ }).waitFor();
    const paid = page.getByRole('row', { name: /Your order is paid.*waits for the hourly digest/ });
    await paid.getByRole('button').click();
    await paid.getByText('The mail is on its way.').waitFor();
  });

  it('does not claim that there are no mails while the notification service is unavailable', async () => {
    kept.isMailAway = true;
    await logIn(page, console, `#/orders/${order.id}`);
    const mails = page.getByRole('region', { name: 'Mails' });
    await mails.getByText('Not known: a service does not answer.').waitFor();
    expect(await mails.getByText('There are no mails.').count()).toBe(0);
  });

  it('does not offer to send a mail again if no mail server is set', async () => {
    kept.sendsMail = false;
    await logIn(page, console, `#/orders/${order.id}`);
    const sent = page.getByRole('row', { name: /We have received your order/ });
    await sent.getByText('no mail server is set').waitFor();
    expect(await sent.getByRole('button').count()).toBe(0);
  });

  it('cancels an order once, with a reason', async () => {
    await logIn(page, console, `#/orders/${order.id}`);
    const ask = page.getByRole('button', { name: 'Cancel this order' });
    await ask.click();
    const dialog = page.getByRole('dialog', { name: 'Cancel this order?' });
    await dialog.getByLabel('Reason').fill('Wrong size.');
    expect(await findings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Back' }).click();
    await ask.click();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('Wrong size.');
    await dialog.getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByText('CANCELLED').first().waitFor();
    await ask.waitFor({ state: 'detached' });
  });

  it('refunds pieces of an order, and shows refunds with who made them, and disputes', async () => {
    await logIn(page, console, `#/orders/${order.id}`);
    console.asked.length = 0;
    await page.getByRole('button', { name: 'Refund a part' }).click();
    const dialog = page.getByRole('dialog', { name: 'Refund a part of this order?' });
    await dialog.getByLabel('Pieces of Tea').fill('1');
    await dialog.getByLabel('Why it is refunded').fill('It arrived broken.');
    expect(await findings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Refund', exact: true }).click();
    const refunds = page.getByRole('region', { name: 'Refunds' });
    await refunds.getByRole('row', { name: /4\.25.*PENDING.*operator Ben.*It arrived broken/ }).waitFor();
    await refunds.getByText('dp_1').waitFor();
    const [sent] = console.asked.filter(({ method }) => method === 'POST');
    expect(sent?.body).toEqual({ lines: refund.lines, reason: 'It arrived broken.' });
  });

  it('says what is left to refund, asks for pieces or an amount, and offers nothing once all is returned', async () => {
    kept.refunds = [refund, { ...refund, id: productId, state: 'FAILED' }];
    await logIn(page, console, `#/orders/${order.id}`);
    const ask = page.getByRole('button', { name: 'Refund a part' });
    await ask.click();
    const dialog = page.getByRole('dialog', { name: 'Refund a part of this order?' });
    await dialog.getByText('$8.50 is left.').waitFor();
    await dialog.getByLabel('Pieces of Tea, at most 2').waitFor();
    await dialog.getByLabel('Why it is refunded').fill('It arrived broken.');
    console.asked.length = 0;
    const refuse = async (told: string) => {
      await dialog.getByRole('button', { name: 'Refund', exact: true }).click();
      await page.getByRole('alert').getByText(told).waitFor();
      await ask.click();
    };
    await refuse('Enter pieces or an amount.');
    await dialog.getByLabel('Pieces of Tea').fill('1');
    await dialog.getByLabel('Amount in USD').fill('1');
    await refuse('Enter either pieces or an amount, not both.');
    expect(console.asked.filter(({ method }) => method === 'POST')).toEqual([]);
    kept.refunds = [{ ...refund, amount, state: 'SUCCEEDED' }];
    await ask.waitFor({ state: 'detached' });
  });

  it('puts each field below its label, and keeps buttons apart', async () => {
    kept.status = 'CONFIRMED';
    await logIn(page, console, `#/orders/${order.id}`);
    const ship = await page.getByRole('button', { name: 'Ship this order' }).boundingBox();
    const cancel = await page.getByRole('button', { name: 'Cancel this order' }).boundingBox();
    expect((cancel?.x ?? 0) - (ship?.x ?? 0) - (ship?.width ?? 0)).toBeGreaterThan(5);
    for (const opener of ['Ship this order', 'Refund a part']) {
      await page.getByRole('button', { name: opener }).click();
      const dialog = page.getByRole('dialog');
      const places = await dialog.locator('label').evaluateAll((labels) =>
        labels.map((label) => ({
          labelEnds: label.getBoundingClientRect().bottom,
          fieldBegins: (label as unknown as { control: typeof label }).control.getBoundingClientRect().top,
        })),
      );
      expect(places.length).toBeGreaterThan(2);
      for (const { labelEnds, fieldBegins } of places) expect(labelEnds).toBeLessThanOrEqual(fieldBegins);
      await dialog.getByRole('button', { name: 'Back' }).click();
    }
  });

  it('ships an order once, with what is entered, and shows it', async () => {
    await logIn(page, console, `#/orders/${order.id}`);
    const ask = page.getByRole('button', { name: 'Ship this order' });
    expect(await ask.count()).toBe(0);
    kept.status = 'CONFIRMED';
    await ask.click();
    const dialog = page.getByRole('dialog', { name: 'Ship this order?' });
    await dialog.getByLabel('Carrier').fill(parcel.carrier);
    await dialog.getByLabel('Tracking number').fill(parcel.trackingNumber);
    await dialog.getByLabel('Tracking page (https)').fill(parcel.trackingUrl);
    expect(await findings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Ship the order' }).click();
    await page.getByRole('link', { name: 'tracking page' }).waitFor();
    await page.getByText('CTT Expresso').first().waitFor();
    await ask.waitFor({ state: 'detached' });
  });

  it('keeps an order, a note being typed and the outcome of an action while the order service is unavailable', async () => {
    await logIn(page, console, `#/orders/${order.id}`);
    await page.getByLabel('A note').fill('Called back.');
    await page.getByRole('button', { name: 'Cancel this order' }).click();
    await page.getByLabel('Reason').fill('Wrong size.');
    kept.isSilent = true;
    await page.getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByRole('alert').getByText('The order service').first().waitFor();
    const asked = () => console.asked.filter(({ path }) => path === `/internal/orders/${order.id}`).length;
    const before = asked();
    await until('it is asked for twice', async () => asked() > before + 1);
    await page.getByText('PENDING').first().waitFor();
    expect(await page.getByLabel('A note').inputValue()).toBe('Called back.');
    await page.getByRole('button', { name: 'Cancel this order' }).click();
    expect(await page.getByLabel('Reason').inputValue()).toBe('Wrong size.');
  });

  it('does not claim that there is no order while the order service is unavailable', async () => {
    kept.isSilent = true;
    await logIn(page, console, '#/orders?sought=48b50ee5');
    await page.getByRole('alert').getByText('The order service').waitFor();
    expect(await page.getByText('No order was found.').count()).toBe(0);
  });

  it('adds a note once, even after a failure, and empties the field', async () => {
    await logIn(page, console, `#/orders/${order.id}`);
    const field = page.getByLabel('A note');
    await field.fill('Called back.\nAgain.');
    kept.isAway = true;
    console.asked.length = 0;
    await page.getByRole('button', { name: 'Leave the note' }).click();
    await page.getByText('The order service is not available').waitFor();
    expect(await field.inputValue()).toBe('Called back.\nAgain.');
    kept.isAway = false;
    await page.getByRole('button', { name: 'Leave the note' }).click();
    const notes = page.getByRole('region', { name: 'Notes' });
    await notes.getByText('operator ann').waitFor();
    await notes.getByText('Called back. Again.').waitFor();
    expect(await field.inputValue()).toBe('');
    const sent = console.asked.filter(({ method }) => method === 'PUT').map(({ path }) => path);
    expect(sent).toHaveLength(2);
    expect(new Set(sent).size).toBe(1);
  });
});
