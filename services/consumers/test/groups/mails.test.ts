import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import type { MailTo } from '@store/shared/contracts/account';
import { newEvent } from '@store/shared/messaging/events';
import { createLog } from '@store/shared/observability/log';
import { unavailable } from '@store/shared/values/errors';
import { simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/kit/postgres/database.ts';
import { until } from '../../../../tests/kit/until.ts';
import type { AccountClient } from '../../src/groups/notification/account-client.ts';
import { createMailRepository } from '../../src/groups/notification/mail-repository.ts';
import { startMailSender } from '../../src/groups/notification/mail-sender.ts';
import { mailMaker } from '../../src/groups/notification/mails/mails.ts';
import { createSmtp } from '../../src/groups/notification/smtp.ts';
import { customerId } from '../consumer/_fixture.ts';
import { paginate, type TestGroup, testGroup } from './_group.ts';

let database: TestDatabase;
let notifications: TestGroup;
let closing: (() => unknown)[] = [];

beforeEach(async () => {
  database = await createTestDatabase('consumers');
  notifications = testGroup(database.url, 'notification-group', { sendsMail: true });
  closing = [database.drop, notifications.close];
});

afterEach(async () => {
  for (const close of closing.reverse()) await close();
});

const order = () => ({ orderId: randomUUID(), customerId });
const cancelled = (reason = 'why not') => storedEvent('OrderCancelled', { ...order(), reason });

interface Notification {
  id: string;
  kind: string;
  subject: string;
  text: string;
  sentAt?: string;
}

describe('notification mails', () => {
  let account: MailTo | undefined;
  let isAway = false;
  const asked: unknown[] = [];
  const accounts: AccountClient = {
    async mailTo(...request) {
      asked.push(request);
      if (isAway) throw unavailable('The account service');
      return account;
    },
  };
  beforeEach(() => {
    account = { name: 'Ada', email: 'ada@example.com', locale: 'en' };
    isAway = false;
    asked.length = 0;
  });

  interface Mail {
    to: string[];
    text: string;
  }

  /** @param refuse decides by the number of the mail whether it is refused */
  async function mailServer(refuse: (count: number) => boolean = () => false, responseCode = 450) {
    const mails: Mail[] = [];
    let count = 0;
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      async onData(stream, { envelope }, done) {
        const text = await textOf(stream);
        count += 1;
        if (refuse(count)) return done(Object.assign(new Error('Not this one'), { responseCode }));
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), text });
        done();
      },
    });
    server.on('error', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    closing.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
    return { mails, url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}` };
  }

  const mailing = () => ({
    repository: createMailRepository(notifications.prisma, notifications.kysely),
    make: mailMaker({ accounts, shopUrl: 'https://shop.example' }),
    log: createLog('mail', 'silent'),
    everyMs: 50,
  });

  function startSender(url: string) {
    const smtp = createSmtp({ url, from: 'Store <store@shop.example>' });
    const sender = startMailSender({ ...mailing(), send: smtp.send });
    closing.push(smtp.close, sender.stop);
    return sender;
  }

  const sent = async () =>
    (await paginate<Notification>(notifications, '/notifications?size=100')).filter(
      ({ sentAt }) => sentAt !== undefined,
    );

  it('are sent once each by two senders and marked as sent', async () => {
    const { mails, url } = await mailServer();
    const events = Array.from({ length: 50 }, () => cancelled());
    await notifications.handle(...events);
    startSender(url);
    startSender(url);
    await until('all notifications are marked as sent', async () => (await sent()).length === 50);
    expect(mails).toHaveLength(50);
    expect(mails[0]?.to).toEqual(['ada@example.com']);
    const ids = mails.map(({ text }) => /^Message-ID: <(.*)@shop\.example>/m.exec(text)?.[1]);
    expect(ids.sort()).toEqual(events.map(({ id }) => id).sort());
    expect(mails[0]?.text).toContain('Subject: Your order is cancelled');
  });

  it('are retried when the mail server refuses them', async () => {
    const { mails, url } = await mailServer((count) => count <= 2);
    await notifications.handle(cancelled());
    startSender(url);
    await until('the notification is marked as sent', async () => (await sent()).length === 1);
    expect(mails).toHaveLength(1);
    const [row] = await notifications.prisma.notification.findMany();
    expect(row).toMatchObject({ attempts: 3, sendAt: null });
  });

  it('are not retried when the mail server refuses them for good', async () => {
    const { mails, url } = await mailServer((count) => count === 1, 550);
    await notifications.handle(cancelled());
    startSender(url);
    const refused = () => notifications.prisma.notification.findFirst({ where: { sendAt: null } });
    await until('the notification is given up', async () => (await refused()) !== null);
    expect(await refused()).toMatchObject({ attempts: 1, sentAt: null });
    const [listed] = await paginate<{ refusal: string }>(notifications, '/notifications?size=1');
    expect(listed?.refusal).toMatch(/550 Not this one/);
    expect(mails).toEqual([]);
  });

  it('wait for an unavailable mail server while events are still handled', async () => {
    const smtp = createSmtp({ url: 'smtp://127.0.0.1:1', from: 'a@example.com' });
    const sender = startMailSender({ ...mailing(), send: smtp.send });
    await notifications.handle(cancelled());
    await until(
      'one attempt was made',
      async () => (await notifications.prisma.notification.findFirst())?.attempts === 1,
    );
    await notifications.handle(cancelled());
    await sender.stop();
    smtp.close();
    const { mails, url } = await mailServer();
    startSender(url);
    await until('both mails are sent', async () => (await sent()).length === 2);
    expect(mails).toHaveLength(2);
  });

  it('cannot get headers injected by an event', async () => {
    const { mails, url } = await mailServer();
    await notifications.handle(cancelled('x\r\nBcc: all@example.com\r\n.\r\nMAIL FROM:<a@b>'));
    startSender(url);
    await until('the mail is sent', () => mails.length === 1);
    expect(mails[0]?.to).toEqual(['ada@example.com']);
    expect(mails[0]?.text.split('\r\n\r\n')[0]).not.toMatch(/^Bcc:/im);
  });

  const registered = () =>
    newEvent(randomUUID(), 'AccountRegistered', { accountId: customerId, timestamp: new Date().toISOString() });
  const resetAsked = (requestId = randomUUID()) =>
    newEvent(randomUUID(), 'PasswordResetRequested', {
      accountId: customerId,
      requestId,
      timestamp: new Date().toISOString(),
    });
  const parsed = async (mail: Mail | undefined) => simpleParser(mail?.text ?? '');

  it('about an account are in its language, with a link whose token is made when they are sent', async () => {
    const { mails, url } = await mailServer();
    account = { name: 'Ana', email: 'ana@example.com', locale: 'pt', token: 'the-token' };
    const requestId = randomUUID();
    await notifications.handle(resetAsked(requestId));
    expect(JSON.stringify(await notifications.prisma.notification.findMany())).not.toMatch(/the-token|Ana|example/);
    startSender(url);
    await until('the mail is sent', () => mails.length === 1);
    expect(asked).toEqual([[customerId, { requestId, isFormer: false }]]);
    const { subject, text, html } = await parsed(mails[0]);
    expect(subject).toBe('Defina uma nova senha');
    expect(text).toMatch(/^Olá Ana,/);
    expect(text).toContain('https://shop.example/#/reset/the-token');
    expect(html).toContain('<a href="https://shop.example/#/reset/the-token">');
  });

  it('are not among the messages about orders', async () => {
    await notifications.handle(registered(), cancelled());
    expect((await paginate<Notification>(notifications, '/notifications')).map(({ kind }) => kind)).toEqual([
      'OrderCancelled',
    ]);
  });

  it('show a name as text, and keep it out of the headers', async () => {
    const { mails, url } = await mailServer();
    const name = '<img src=x onerror=alert(1)>"\r\nBcc: all@example.com';
    account = { name, email: 'ada@example.com', locale: 'en' };
    await notifications.handle(registered());
    startSender(url);
    await until('the mail is sent', () => mails.length === 1);
    expect(mails[0]?.to).toEqual(['ada@example.com']);
    expect(mails[0]?.text.split('\r\n\r\n')[0]).not.toMatch(/^Bcc:/im);
    expect((await parsed(mails[0])).html).not.toContain('<img');
  });

  it.each(['ada@example.com, all@example.com', 'ada@example.com\r\nRCPT TO:<all@example.com>'])(
    'go to one address, whatever it says: %j',
    async (email) => {
      const { mails, url } = await mailServer();
      account = { name: 'Ada', email, locale: 'en' };
      await notifications.handle(registered());
      startSender(url);
      await until('an attempt was made', async () => {
        const row = await notifications.prisma.notification.findFirst();
        return row?.sendAt === null || (row?.attempts ?? 0) > 1;
      });
      expect(mails.flatMap(({ to }) => to)).not.toContain('all@example.com');
    },
  );

  it('are dropped where the account is gone, with a reason, and wait for an account service that is away', async () => {
    const { mails, url } = await mailServer();
    isAway = true;
    await notifications.handle(registered());
    const sender = startSender(url);
    const first = () => notifications.prisma.notification.findFirst();
    await until('an attempt was made', async () => (await first())?.attempts === 1);
    expect(await first()).toMatchObject({ refusal: null });
    await sender.stop();
    isAway = false;
    account = undefined;
    await notifications.prisma.notification.updateMany({ data: { sendAt: new Date() } });
    startSender(url);
    await until('it is dropped', async () => (await first())?.sendAt === null);
    expect(await first()).toMatchObject({ sentAt: null, refusal: expect.stringMatching(/gone/) });
    expect(mails).toEqual([]);
  });

  it('keep the words of the release before, which has stored nothing else', async () => {
    const { mails, url } = await mailServer();
    await notifications.handle(cancelled('of old'));
    await notifications.kysely.updateTable('notifications').set({ data: null }).execute();
    startSender(url);
    await until('the mail is sent', () => mails.length === 1);
    expect((await parsed(mails[0])).text).toMatch(/is cancelled: of old\./);
  });

  it('are given up after a day', async () => {
    isAway = true;
    await notifications.handle(registered());
    const aDayAgo = new Date(Date.now() - 86_500_000);
    await notifications.prisma.notification.updateMany({ data: { createdAt: aDayAgo } });
    startSender('smtp://127.0.0.1:1');
    const refused = async () => (await notifications.prisma.notification.findFirst())?.refusal ?? '';
    await until('it is given up', async () => (await refused()) !== '');
    expect(await refused()).toMatch(/not available/);
  });
});
