import { randomUUID } from 'node:crypto';
import type { MailTo } from '@store/shared/contracts/account';
import { sql } from '@store/shared/database/sql';
import { type AccountEventKind, newEvent, type StoredEvent } from '@store/shared/messaging/events';
import { register } from 'prom-client';
import request from 'supertest';
import { newCredential } from '../../../../tests/kit/credentials.ts';
import { storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { useMailServer } from '../../../../tests/kit/mail-server.ts';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { whileCommitsFail } from '../../../../tests/kit/postgres/transaction.ts';
import { until } from '../../../../tests/kit/until.ts';
import { customerId } from '../consumer/_fixture.ts';
import { allOf, cancelled, testGroup, withMails } from './_group.ts';
import { useOtherService } from './_other-service.ts';

const server = useMailServer();
const credential = newCredential();
/** The answer of the account service: 404 if `is` is undefined, 500 while `isAway`. */
const account: { is: MailTo | undefined; isAway: boolean; onAsked: () => void } = {
  is: undefined,
  isAway: false,
  onAsked: () => undefined,
};
const accounts = useOtherService(() => {
  const answer = { status: account.isAway ? 500 : account.is ? 200 : 404, body: account.is };
  account.onAsked();
  return answer;
});
/** The answer of the order service: 404 if `is` is undefined, 500 while `isAway`. */
const shipment: { is: object | undefined; isAway: boolean } = { is: undefined, isAway: false };
const orders = useOtherService(() => ({
  status: shipment.isAway ? 500 : shipment.is ? 200 : 404,
  body: shipment.is,
}));
/** Who answers for an account. */
const answerable: { of: Record<string, string>; isAway: boolean } = { of: {}, isAway: false };
const auth = useOtherService((path) => ({
  status: answerable.isAway ? 404 : 200,
  body: { operatorId: answerable.of[path.split('/')[3] ?? ''] ?? null },
}));
const ada = { name: 'Ada', email: 'ada@example.com', locale: 'en' };
beforeEach(() => {
  Object.assign(account, { is: ada, isAway: false, onAsked: () => undefined });
  Object.assign(shipment, { is: undefined, isAway: false });
});

const about = (kind: AccountEventKind, accountId = customerId) =>
  newEvent(kind, { accountId, requestId: randomUUID(), timestamp: new Date().toISOString() } as never);

describe('mails', () => {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });
  const database = useDatabase('consumers', 'each');
  const group = database.open((url) => testGroup(url, 'notification-group', withMails));

  /** Starts a replica that sends mails. @returns a function that stops it */
  function startSender(
    SMTP_URL = server.url,
    logTo?: { write(line: string): void },
    more: Record<string, string> = {},
  ) {
    const shop = { SHOP_URL: 'https://shop.example', MAIL_FROM: 'Store <store@shop.example>' };
    const urls = { SMTP_URL, ACCOUNT_URL: accounts.url, ORDER_URL: orders.url };
    const env = { ...shop, ...urls, INTERNAL_CREDENTIAL: credential, ...more };
    const replica = testGroup(database.url, 'notification-group', env);
    const jobs = replica.startJobs(logTo);
    const stop = () => Promise.all(jobs.map((job) => job.stop()));
    stops.push(stop, replica.close);
    return stop;
  }
  const rows = () => group.prisma.notification.findMany();
  const row = () => group.prisma.notification.findFirst();
  const attempted = () => until('an attempt was made', async () => ((await row())?.attempts ?? 0) > 0);
  const settled = () => until('nothing is due', async () => (await rows()).every(({ sendAt }) => sendAt === null));
  async function send(...events: StoredEvent[]): Promise<void> {
    if (events.length > 0) await group.handle(...events);
    startSender();
    await settled();
  }

  const counted = async (): Promise<Record<string, number>> => {
    const { values = [] } = (await register.getSingleMetric('mails_total')?.get()) ?? {};
    return Object.fromEntries(values.map(({ labels, value }) => [String(labels.result), value]));
  };

  describe('about a webhook that has ended', () => {
    const [machine, left] = [randomUUID(), randomUUID()];
    const nobody = 'A webhook has ended, and there is no operator to mail';
    const logged: string[] = [];
    beforeEach(() => {
      logged.length = 0;
      Object.assign(answerable, { of: { [machine]: customerId, [customerId]: customerId }, isAway: false });
    });

    const ended = (createdBy: string, state = 'GIVEN_UP') =>
      group.prisma.webhook.create({
        data: { url: 'https://erp.example.com/secret', kinds: [], ordered: false, id: randomUUID(), createdBy, state },
      });
    const start = (more: Record<string, string> = { AUTH_URL: auth.url }) =>
      startSender(server.url, { write: (line) => logged.push(line) }, more);
    const told = () =>
      until('all are noted', async () => (await group.prisma.webhook.count({ where: { toldAt: null } })) === 0);

    it.each([
      ['the operator who made it', `account ${customerId}`],
      ['the operator who made it in the console', `operator ${customerId}`],
      ['the operator who made the service account that made it', `account ${machine}`],
    ])('tell %s once, without the path of its address', async (_, createdBy) => {
      await ended(createdBy, 'GONE');
      for (let replica = 0; replica < 2; replica += 1) start();
      await until('it is told', () => server.mails.length === 1);
      await told();
      await settled();
      expect(server.mails).toHaveLength(1);
      expect(server.mails[0]?.to).toEqual(['ada@example.com']);
      expect(await row()).toMatchObject({ kind: 'WebhookEnded', customerId, data: { host: 'erp.example.com' } });
      expect(await group.prisma.outbox.count()).toBe(0);
      const all = logged.join();
      for (const secret of ['ada@example.com', 'erp.example.com', nobody]) expect(all).not.toContain(secret);
      expect(auth.asked[0]?.headers.authorization).toBe(`Bearer ${credential}`);
    });

    it.each([
      ['an account that is no operator any more', `account ${left}`],
      ['somebody with the shared token', 'operator ann (shared token)'],
    ])('tell nobody about that of %s, which is logged once', async (_, createdBy) => {
      const { id } = await ended(createdBy);
      for (let replica = 0; replica < 2; replica += 1) start();
      await told();
      await until('it is logged', () => logged.join().includes(nobody));
      expect(logged.filter((line) => line.includes(nobody) && line.includes(id))).toHaveLength(1);
      expect(await rows()).toEqual([]);
      expect(logged.join()).not.toContain('erp.example.com');
    });

    it('wait while auth is away or of the last release, and leave out one that goes on or is paused', async () => {
      const { id } = await ended(`account ${machine}`);
      const paused = await ended(`account ${machine}`, 'PAUSED');
      answerable.isAway = true;
      start();
      await until('auth was asked', () => auth.asked.length > 1);
      expect(await group.prisma.webhook.count({ where: { toldAt: null } })).toBe(2);
      await group.prisma.webhook.update({ where: { id }, data: { state: 'ACTIVE' } });
      const { id: next } = await ended(`account ${machine}`);
      answerable.isAway = false;
      await until('it is told', () => server.mails.length === 1);
      const untold = await group.prisma.webhook.findMany({ where: { toldAt: null }, select: { id: true } });
      expect(untold.map((one) => one.id).sort()).toEqual([id, paused.id].sort());
      expect(next).not.toBe(id);
    });

    it('tell the account that made it if the group does not know auth', async () => {
      await ended(`account ${customerId}`);
      start({});
      await until('it is told', () => server.mails.length === 1);
      expect(auth.asked).toEqual([]);
    });
  });

  it('are sent once each by two senders and marked as sent', async () => {
    const events = Array.from({ length: 50 }, () => cancelled());
    await group.handle(...events);
    for (let sender = 0; sender < 2; sender += 1) startSender(server.url, undefined, { MAILS_PER_HOUR: '0' });
    await settled();
    const ids = server.mails.map(({ source }) => /^Message-ID: <(.*)@shop\.example>/m.exec(source)?.[1]);
    expect(ids.sort()).toEqual(events.map(({ id }) => id).sort());
    expect(server.mails[0]?.to).toEqual(['ada@example.com']);
    expect((await server.read()).subject).toBe('Your order is cancelled');
    await group.handle(about('AccountRegistered')); // not a message about an order, so it is not listed
    const listed = await allOf<{ sentAt?: string }>(group, '/notifications?size=100');
    expect(listed).toHaveLength(50);
    expect(listed.filter(({ sentAt }) => sentAt !== undefined)).toHaveLength(50);
  });

  describe('about a shipment', () => {
    const orderId = randomUUID();
    const shipped = () => storedEvent('OrderShipped', { orderId, customerId, shipmentId: randomUUID() });
    const nothing = { carrier: null, trackingNumber: null, trackingUrl: null };
    const shown = { id: randomUUID(), orderId, shippedAt: '2026-01-31T14:05:00.000Z', ...nothing };
    const parcel = { carrier: 'CTT & <b>', trackingNumber: 'DB1', trackingUrl: 'https://ctt.pt/?a=1&b=2' };

    it('have what was entered about it, which the event does not', async () => {
      shipment.is = { ...shown, ...parcel };
      await send(shipped());
      const { text, html } = await server.read();
      for (const value of Object.values(parcel)) expect(text).toContain(value);
      expect(html).toContain('CTT &amp; &lt;b&gt;');
      expect(orders.asked).toMatchObject([
        { path: `/internal/orders/${orderId}/shipment`, headers: { authorization: `Bearer ${credential}` } },
      ]);
      account.is = { ...ada, locale: 'pt' };
      await send(shipped());
      expect((await server.readAll()).at(-1)?.text).toContain('Transportadora: CTT & <b>.');
    });

    it.each([
      ['nothing was entered', shown],
      ['the order service knows none', undefined],
    ])('are short if %s', async (_, is) => {
      shipment.is = is;
      await send(shipped());
      expect((await server.read()).text).toMatch(/The shipment number is [\w-]+\.\s*$/);
    });

    it('wait for the order service', async () => {
      Object.assign(shipment, { is: { ...shown, ...parcel }, isAway: true });
      await group.handle(shipped());
      startSender();
      await attempted();
      expect(server.mails).toEqual([]);
      shipment.isAway = false;
      await settled();
      expect((await server.read()).text).toContain('DB1');
    });

    it('ask nothing for other kinds', async () => {
      await send(cancelled());
      expect(orders.asked).toEqual([]);
    });
  });

  it.each(['dept=x@example.com', 'jörg@xn--mller-kva.de', '用户@xn--fsqu00a.xn--fiqs8s'])('reach %s', async (email) => {
    account.is = { ...ada, email };
    await send(cancelled());
    const [local] = email.split('@');
    expect(server.mails.map(({ to }) => to)).toEqual([[expect.stringContaining(`${local}@`)]]);
    expect((await server.read()).to).toMatchObject({ value: [{ address: expect.stringContaining(`${local}@`) }] });
  });

  it('are retried if the mail server refuses them for now, but not if it refuses them for good', async () => {
    server.refusals = [450, 550];
    const { postponed = 0, given_up = 0 } = await counted();
    await send(cancelled());
    expect(await counted()).toMatchObject({ postponed: postponed + 1, given_up: given_up + 1 });
    expect(await row()).toMatchObject({ attempts: 2, sentAt: null });
    const [listed] = await allOf<{ refusal: string }>(group, '/notifications?size=1');
    expect(listed?.refusal).toBe('The mail server said 550 to DATA.');
    expect(server.mails).toEqual([]);
  });

  it.each([
    ['the recipient', { recipients: 'User ada@example.com is unknown, ask Ada' }],
    ['the mail, for now', { refusals: [450], reason: 'Greylisted <ada@example.com> (ada=40example.com)' }],
    ['the mail for good', { refusals: [550], reason: '5.7.1 ada@example.com does not want this' }],
  ])('leave no address in table and log if the mail server repeats it when refusing %s', async (_, answers) => {
    Object.assign(server, answers);
    const logged: string[] = [];
    await group.handle(cancelled());
    startSender(server.url, { write: (line) => void logged.push(line) });
    await attempted();
    await until('the refusal is logged', () => logged.some((line) => line.includes('notificationId')));
    const { refusal } = (await row()) ?? {};
    for (const text of [logged.join(), `${refusal}`]) expect(text).not.toMatch(/\bada\b|example\.com/i);
    expect(logged.join()).toMatch(/450|550/);
  });

  it('are held for one sender for minutes, because a mail server may be slow', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    server.ready = promise;
    await group.handle(cancelled());
    startSender();
    await attempted();
    const held = sql`
      select send_at between now() + interval '4 minutes' and now() + interval '5 minutes' as held from notifications`;
    expect(await group.database.run(held)).toEqual([{ held: true }]);
    resolve();
    await settled();
    expect(server.mails).toHaveLength(1);
  });

  it('wait for an unavailable mail server, and events are still handled', async () => {
    await group.handle(cancelled());
    const stop = startSender('smtp://127.0.0.1:1');
    await attempted();
    await stop();
    await send(cancelled());
    expect(server.mails).toHaveLength(2);
  });

  it('about an account are in its language, and the token of their link is made when they are sent', async () => {
    account.is = { name: 'Ana', email: 'ana@example.com', locale: 'pt', token: 'the-token' };
    const asked = about('PasswordResetRequested');
    await group.handle(asked);
    expect(JSON.stringify(await rows())).not.toMatch(/the-token|Ana|example/);
    await send();
    const { requestId } = JSON.parse(asked.payload);
    const headers = { authorization: `Bearer ${credential}` };
    const body = { requestId, isFormer: false };
    expect(accounts.asked).toMatchObject([{ path: `/internal/accounts/${customerId}/mail`, headers, body }]);
    const { subject, text, html } = await server.read();
    expect(subject).toBe('Defina uma nova senha');
    expect(text).toMatch(/^Olá Ana,/);
    expect(text).toContain('https://shop.example/#/reset/the-token');
    expect(html).toContain('<a href="https://shop.example/#/reset/the-token">');
  });

  it.each([
    ['the reason of an event', cancelled({ reason: 'x\r\nBcc: all@example.com\r\n.\r\nMAIL FROM:<a@b>' }), {}],
    ['a name', about('AccountRegistered'), { name: '<img src=x onerror=alert(1)>"\r\nBcc: all@example.com' }],
  ])('get no header and no markup from %s', async (_, event, more) => {
    account.is = { ...ada, ...more };
    await send(event);
    expect(server.mails[0]?.to).toEqual(['ada@example.com']);
    expect(server.mails[0]?.source.split('\r\n\r\n')[0]).not.toMatch(/^Bcc:/im);
    expect((await server.read()).html).not.toContain('<img');
  });

  it.each(['ada@example.com, all@example.com', 'ada@example.com\r\nRCPT TO:<all@example.com>'])(
    'go to one address, even if it contains several: %j',
    async (email) => {
      account.is = { ...ada, email };
      await group.handle(about('AccountRegistered'));
      startSender();
      await until('an attempt was made', async () => {
        const { sendAt, attempts } = (await row()) ?? { attempts: 0 };
        return sendAt === null || attempts > 1;
      });
      expect(server.mails.flatMap(({ to }) => to)).not.toContain('all@example.com');
    },
  );

  it('wait a day for an unavailable account service, and are dropped with a reason if the account does not exist', async () => {
    account.isAway = true;
    await group.handle(about('AccountRegistered'));
    const stop = startSender();
    await attempted();
    await stop();
    expect(await row()).toMatchObject({ refusal: null });
    await group.prisma.notification.updateMany({ data: { createdAt: new Date(Date.now() - 86_500_000) } });
    await send();
    expect(await row()).toMatchObject({ sentAt: null, refusal: expect.stringMatching(/not available/) });
    Object.assign(account, { is: undefined, isAway: false });
    const gone = about('AccountRegistered');
    await send(gone);
    const refused = await group.prisma.notification.findFirst({ where: { id: gone.id } });
    expect(refused).toMatchObject({ sentAt: null, refusal: expect.stringMatching(/no longer exists/) });
    expect(server.mails).toEqual([]);
  });

  it('have no name if the account service returns none because the address is not confirmed', async () => {
    account.is = { email: 'ada@example.com', locale: 'pt', token: 'the-token' };
    await send(about('AccountRegistered'));
    const { text, to } = await server.read();
    expect(text).toMatch(/^Olá,\n\n/);
    expect(to).toMatchObject({ value: [{ name: '', address: 'ada@example.com' }] });
  });

  it.each([
    ['Ada\r\n\r\nYour account is locked', 'Ada Your account is locked'],
    ['Ada, see https://evil.example/x?y', 'Ada, see https evil. example/x?y'],
    ['www.evil.example', 'www. evil. example'],
    ['evil。example \u202eadA', 'evil。 example adA'],
    ['J. R. R. Tolkien', 'J. R. R. Tolkien'],
  ])('contain a stored name in one line, without links and text directions: %j', async (name, shown) => {
    account.is = { ...ada, name };
    await send(cancelled());
    const { text, html, to } = await server.read();
    expect(text?.split('\n')[0]).toBe(`Hello ${shown},`);
    expect(html).toContain(`<p>Hello ${shown},</p>`);
    expect(to).toMatchObject({ value: [{ name: shown, address: 'ada@example.com' }] });
  });

  it('keep the text that the previous release stored without data', async () => {
    await group.handle(cancelled({ reason: 'of old' }));
    await group.database.run(sql`update notifications set data = null`);
    await send();
    expect((await server.read()).text).toMatch(/is cancelled: of old\./);
  });
});

describe('mails to a mailbox that gets too many', () => {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });
  const database = useDatabase('consumers', 'each');
  const group = database.open((url) => testGroup(url, 'notification-group', withMails, /refused at commit/));
  function startSender() {
    const shop = { SHOP_URL: 'https://shop.example', MAIL_FROM: 'Store <store@shop.example>', MAILS_PER_HOUR: '3' };
    const env = { ...shop, SMTP_URL: server.url, ACCOUNT_URL: accounts.url, INTERNAL_CREDENTIAL: credential };
    const replica = testGroup(database.url, 'notification-group', env);
    const jobs = replica.startJobs();
    const stop = () => Promise.all(jobs.map((job) => job.stop()));
    stops.push(stop, replica.close);
    return stop;
  }
  const messages = () => group.prisma.notification;
  const digests = () => messages().findMany({ where: { kind: 'Digest' }, orderBy: { createdAt: 'asc' } });
  const held = () => messages().count({ where: { digestId: { not: null }, sentAt: null } });
  const settled = async () => {
    const isSettled = async () =>
      (await messages().count({ where: { sentAt: null, digestId: null, kind: { not: 'Digest' } } })) === 0;
    await until('each message is sent or held', isSettled);
  };
  /** Changes the stored times as if an hour had passed. */
  async function anHourLater() {
    await group.prisma.mailboxMail.updateMany({ data: { at: new Date(Date.now() - 3_700_000) } });
    await messages().updateMany({ where: { kind: 'Digest', sentAt: null }, data: { sendAt: new Date() } });
  }
  const subjects = async () => (await server.readAll()).map(({ subject }) => subject);

  it('become one digest an hour later; two senders lose no message and send none twice', async () => {
    const events = Array.from({ length: 40 }, () => cancelled());
    await group.handle(...events);
    for (let sender = 0; sender < 2; sender += 1) startSender();
    await settled();
    expect(await subjects()).toEqual(Array(3).fill('Your order is cancelled'));
    expect([await held(), (await digests()).length]).toEqual([37, 1]);
    await anHourLater();
    await until('the digest is sent', async () => (await held()) === 0);
    const all = await server.readAll();
    expect(all.map(({ subject }) => subject)).toEqual([
      ...Array(3).fill('Your order is cancelled'),
      'News about your orders',
    ]);
    const said = all.map(({ text }) => text).join();
    for (const { key } of events) expect(said.split(key)).toHaveLength(2);
    expect(await messages().count({ where: { sentAt: null } })).toBe(0);
  });

  it('are retried in the same digest, under the same Message-ID, if it was refused for now', async () => {
    await group.handle(...Array.from({ length: 5 }, () => cancelled()));
    startSender();
    await settled();
    const [digest] = await digests();
    server.refusals = [450];
    await anHourLater();
    await until('it was refused for now', async () => (await digests())[0]?.attempts === 1);
    await group.handle(...Array.from({ length: 4 }, () => cancelled()));
    await until('new messages wait for another digest', async () => (await digests()).length === 2);
    await until('the digest is sent', async () => (await digests())[0]?.sentAt !== null);
    const sent = server.mails.find(({ source }) => source.includes(`Message-ID: <${digest?.id}@shop.example>`));
    expect(sent).toBeDefined();
    expect([await messages().count({ where: { digestId: digest?.id, sentAt: null } }), await held()]).toEqual([0, 1]);
  });

  it('are sent if they are about the account, which has a separate limit', async () => {
    await group.handle(...Array.from({ length: 5 }, () => cancelled()));
    startSender();
    await settled();
    account.is = { ...ada, token: 'the-token' };
    await group.handle(about('PasswordResetRequested'), about('PasswordChanged'));
    await settled();
    expect(await subjects()).toEqual(expect.arrayContaining(['Set a new password', 'Your password has been changed']));
  });

  it('wait if strangers have links sent to it, even from different accounts', async () => {
    account.is = { email: 'Ada@example.com', locale: 'en', token: 'the-token' };
    await group.handle(...Array.from({ length: 8 }, () => about('EmailChangeRequested', randomUUID())));
    startSender();
    const inAnHour = () => ({ gt: new Date(Date.now() + 3_000_000) });
    // A claimed mail is due in five minutes, a waiting mail in almost an hour.
    const waiting = () => messages().findMany({ where: { sentAt: null, sendAt: inAnHour() } });
    await until(
      'five are sent and three wait',
      async () => server.mails.length === 5 && (await waiting()).length === 3,
    );
    expect((await waiting()).map(({ digestId }) => digestId)).toEqual([null, null, null]);
  });

  it('wait if they are about many new API keys, while those about the password do not', async () => {
    account.is = { ...ada, token: 'the-token' };
    await group.handle(...Array.from({ length: 12 }, () => about('ApiKeyMade')));
    startSender();
    const waiting = () =>
      messages().count({ where: { sentAt: null, sendAt: { gt: new Date(Date.now() + 3_000_000) } } });
    await until('ten are sent and two wait', async () => server.mails.length === 10 && (await waiting()) === 2);
    await group.handle(about('PasswordChanged'));
    await until('the mail about the password is sent', async () => server.mails.length === 11);
    expect(await subjects()).toContain('Your password has been changed');
  });

  it('include copies that an operator sends: once each, within the limit, and then in the digest', async () => {
    const first = cancelled();
    await group.handle(first);
    startSender();
    await settled();
    const again = (copyId: string, id = first.id) =>
      request(group.app).put(`/internal/notifications/${id}/copies/${copyId}`).set('operator-name', 'ann');
    const copies = Array.from({ length: 4 }, () => randomUUID());
    for (const copy of [...copies, ...copies]) await again(copy).expect(204);
    await settled();
    expect(await subjects()).toEqual(Array(3).fill('Your order is cancelled'));
    const ids = server.mails.map(({ source }) => /^Message-ID: <(.*)@/m.exec(source)?.[1]);
    expect(new Set(ids).size).toBe(3);
    const listed = await allOf<{ waitsFor?: string }>(group, `/notifications?orderId=${first.key}`);
    expect(listed.map(({ waitsFor }) => waitsFor).filter(Boolean)).toEqual(['digest', 'digest']);
    expect((await group.get(`/internal/audit?subject=${first.key}`)).body).toMatchObject(
      copies.map(() => ({ actor: 'operator ann', kind: 'mail', after: { kind: 'OrderCancelled', resent: first.id } })),
    );
    const other = cancelled();
    await group.handle(other);
    await again(other.id).expect(409);
    await again(first.id).expect(409);
    await again(copies[0] ?? '', other.id).expect(409);
    await again(randomUUID(), randomUUID()).expect(404);
    const account = about('PasswordChanged');
    await group.handle(account);
    await again(randomUUID(), account.id).expect(404);
  });

  it('are not sent again if the audit trail fails, or without a mail server', async () => {
    const event = cancelled();
    await group.handle(event);
    const again = (from: typeof group) =>
      request(from.app).put(`/internal/notifications/${event.id}/copies/${randomUUID()}`);
    await whileCommitsFail(database.url, 'audit', async () => again(group).expect(500));
    const without = testGroup(database.url, 'notification-group');
    await again(without).expect(409);
    const path = `/notifications?orderId=${event.key}`;
    expect(await allOf(without, path)).toMatchObject([{ canBeResent: false }]);
    expect(await allOf<object>(group, path)).not.toContainEqual(expect.objectContaining({ canBeResent: false }));
    const own = await without.get(path).set('id-account', customerId).expect(200);
    expect(own.body.content).toMatchObject([{ id: event.id }]);
    expect(own.body.content[0]).not.toHaveProperty('canBeResent');
    await without.close();
    expect(await messages().count()).toBe(1);
  });

  it('are deleted with the account', async () => {
    await group.handle(...Array.from({ length: 5 }, () => cancelled()));
    startSender();
    await settled();
    await group.handle(about('AccountDeleted'));
    expect(await messages().count()).toBe(0);
  });
});

describe('mails without a mail server', () => {
  const database = useDatabase('consumers');
  const group = database.open((url) => testGroup(url, 'notification-group', { ACCOUNT_URL: accounts.url }));
  const readable = async () => {
    const event = about('PasswordResetRequested');
    await group.handle(event);
    return event;
  };

  it('are listed, and get their link when they are read', async () => {
    account.is = { ...ada, token: 'the-token' };
    const { id } = await readable();
    const { body: listed } = await group.get('/internal/mails');
    expect(listed[0]).toMatchObject({ id, customerId, subject: 'Set a new password' });
    expect(accounts.asked).toEqual([]);
    const { body: mail } = await group.get(`/internal/mails/${id}`);
    expect(mail).toMatchObject({ to: { name: 'Ada', address: 'ada@example.com' }, subject: 'Set a new password' });
    expect(mail.text).toContain('http://localhost:3000/#/reset/the-token');
    expect((await group.get(`/internal/audit?subject=${id}`)).body).toMatchObject([
      { actor: 'operator', kind: 'look', before: null, after: { at: 'mail' } },
    ]);
  });

  it('keep the link of their first read, even for concurrent reads', async () => {
    const { id } = await readable();
    let made = 0;
    account.is = { ...ada, token: 'first' };
    account.onAsked = () => {
      made += 1;
      account.is = { ...ada, token: `another-${made}` };
    };
    const read = async () => (await group.get(`/internal/mails/${id}`)).body.text;
    const texts = [...(await Promise.all([read(), read()])), await read()];
    expect(new Set(texts).size).toBe(1);
    expect(made).toBe(1);
  });

  it('say why they would not be sent if the account service returns no address, and can be read once it does', async () => {
    const { id } = await readable();
    account.is = undefined;
    expect((await group.get(`/internal/mails/${id}`)).body).toEqual({
      to: null,
      problem: expect.stringMatching(/no longer exists, or the address is not confirmed\.$/),
      subject: 'Set a new password',
      text: expect.any(String),
      html: '',
    });
    account.is = { ...ada, token: 'the-token' };
    expect((await group.get(`/internal/mails/${id}`)).body.text).toContain('the-token');
    expect((await group.get(`/internal/mails/${randomUUID()}`)).status).toBe(404);
    account.isAway = true;
    expect((await group.get(`/internal/mails/${(await readable()).id}`)).status).toBe(503);
  });

  it.each([{ APP_PROFILE: 'prod' }, withMails])('are not shown with %j', async (env) => {
    const { id } = await readable();
    const other = testGroup(database.url, 'notification-group', env);
    for (const path of ['/internal/mails', `/internal/mails/${id}`]) expect((await other.get(path)).status).toBe(404);
    await other.close();
  });

  it('are deleted with the account', async () => {
    const other = randomUUID();
    await group.handle(about('PasswordResetRequested'), about('PasswordChanged', other));
    await group.handle(about('AccountDeleted'));
    const count = (customerId: string) => group.prisma.notification.count({ where: { customerId } });
    expect([await count(customerId), await count(other)]).toEqual([0, 1]);
  });
});
