import { createHash } from 'node:crypto';
import type { Logger } from '@store/shared/observability/log';
import type { Job } from '@store/shared/service/service';
import { DomainError, messageOf } from '@store/shared/values/errors';
import { loop } from '@store/shared/values/loop';
import { backoff, dayMs } from '@store/shared/values/time';
import { Counter } from 'prom-client';
import type { DueMail, MailRepository } from './mail-repository.ts';
import type { MakeMail } from './mails/mail.ts';
import { digestKind, type MailKind } from './mails/words.ts';
import { MailRefused, type SmtpClient } from './smtp-client.ts';

/** Separate limits, so that mails of one kind do not use up the limit of another. */
type Limit = 'orders' | 'account' | 'keys' | 'links';

const limitOf: Record<MailKind, Limit> = {
  OrderCreated: 'orders',
  OrderPaid: 'orders',
  PaymentFailed: 'orders',
  StockRejected: 'orders',
  OrderCancelled: 'orders',
  PaymentRefunded: 'orders',
  OrderShipped: 'orders',
  PasswordResetRequested: 'account',
  PasswordChanged: 'account',
  EmailChangePending: 'account',
  EmailChanged: 'account',
  // A session can make up to 100 keys.
  ApiKeyMade: 'keys',
  // Strangers can have these sent to any address.
  AccountRegistered: 'links',
  EmailChangeRequested: 'links',
};

/** Per mailbox and hour. The account service allows 20 resets per account and hour. */
const maxAboutAccount = 30;
const maxAboutKeys = 10;
const maxLinks = 5;

interface MailSenderOptions {
  /** Per mailbox and hour; further messages wait for a digest. 0: no limit. */
  maxAboutOrders: number;
  repository: MailRepository;
  make: MakeMail;
  smtp: SmtpClient;
}

const batchSize = 20;
/** Longer than sending a batch takes. After a crash another sender takes over then, and may send a message twice. */
const holdSeconds = 300;
const retry = { firstMs: 2_000, maxMs: 600_000 };
/** A later mail is of no use, and its link has expired. */
const givenUpAfterMs = dayMs;

const attempted = new Counter({
  name: 'mails_total',
  help: 'Attempts to send a mail, by result: sent, postponed, given_up.',
  labelNames: ['result'],
});
// A counter that first appears with its first failure would show no increase.
for (const result of ['sent', 'postponed', 'given_up']) attempted.inc({ result }, 0);

/**
 * Sends stored messages, each at least once: it marks a message after the mail server has accepted it, or refused it for
 * good. It retries other failures with increasing delays for a day. No transaction is open while sending. If a mailbox has
 * reached its limit, further messages about orders become one digest.
 */
export function mailSender({ repository, make, smtp, maxAboutOrders }: MailSenderOptions): Job {
  const maxPerHour: Record<Limit, number> = {
    orders: maxAboutOrders,
    account: maxAboutAccount,
    keys: maxAboutKeys,
    links: maxLinks,
  };

  /** @returns the seconds until the limit of the mailbox allows the mail; undefined if it may be sent now */
  async function secondsToWait({ id, kind }: DueMail, address: string): Promise<number | undefined> {
    // Digests are an hour apart, so they need no limit.
    if (kind === digestKind) return undefined;
    const limit = limitOf[kind];
    const max = maxPerHour[limit];
    if (max === 0) return undefined;
    const mailbox = createHash('sha256').update(address.toLowerCase()).digest();
    return repository.count({ id, mailbox, kind: limit, max });
  }

  /** Messages about orders wait for a digest. Others have a link or are urgent, so they wait until the limit allows them. */
  async function defer({ id, kind }: DueMail, seconds: number, log: Logger): Promise<unknown> {
    const isAboutOrder = kind !== digestKind && limitOf[kind] === 'orders';
    log.info({ notificationId: id, isAboutOrder }, 'A message waits, because its mailbox got too many within an hour');
    return isAboutOrder ? repository.addToDigest(id) : repository.postpone(id, seconds);
  }

  async function sendOne(mail: DueMail, log: Logger): Promise<unknown> {
    const about = { notificationId: mail.id };
    try {
      const made = await make(mail, mail.kind === digestKind ? await repository.parts(mail.id) : []);
      const seconds = await secondsToWait(mail, made.to.address);
      if (seconds !== undefined) return await defer(mail, seconds, log);
      await smtp.send(mail.id, made);
    } catch (error) {
      const isGone = error instanceof DomainError && error.kind === 'notFound';
      const isTooOld = Date.now() - mail.createdAt.getTime() > givenUpAfterMs;
      if (error instanceof MailRefused || isGone || isTooOld) {
        if (!isGone) attempted.inc({ result: 'given_up' });
        log[isGone ? 'info' : 'error']({ err: error, ...about }, 'A message will not be sent');
        return repository.markRefused(mail.id, messageOf(error));
      }
      attempted.inc({ result: 'postponed' });
      const { attempts } = mail;
      const seconds = Math.ceil(backoff(attempts, retry) / 1000);
      log.warn({ err: error, ...about, attempts, seconds }, 'A message could not be sent and will be retried');
      return repository.postpone(mail.id, seconds);
    }
    attempted.inc({ result: 'sent' });
    return repository.markSent(mail.id);
  }

  async function sendDue(log: Logger): Promise<boolean> {
    const mails = await repository.claim(batchSize, holdSeconds);
    const results = await Promise.allSettled(mails.map((mail) => sendOne(mail, log)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return mails.length === batchSize;
  }

  return {
    start(log) {
      const sending = loop({ name: 'mail sender' }, () => sendDue(log)).start(log);
      return {
        name: sending.name,
        async stop() {
          await sending.stop();
          smtp.close();
        },
      };
    },
  };
}
