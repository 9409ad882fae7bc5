import { createHash } from 'node:crypto';
import type { Database } from '@store/shared/database/database';
import type { Transaction } from '@store/shared/database/transaction';
import type { Logger } from '@store/shared/observability/log';
import { type Ended, type Next, outgoing } from '@store/shared/outgoing/outgoing';
import type { Job } from '@store/shared/service/service';
import { DomainError, messageOf } from '@store/shared/values/errors';
import { backoff, dayMs } from '@store/shared/values/time';
import { Counter } from 'prom-client';
import type { PrismaClient } from '../../generated/client.ts';
import {
  addToDigest,
  type DueMail,
  type MailRepository,
  mailQueue,
  mailTable,
  markRefused,
  markSent,
} from './mail-repository.ts';
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
  RefundIssued: 'orders',
  OrderShipped: 'orders',
  PasswordResetRequested: 'account',
  PasswordChanged: 'account',
  EmailChangePending: 'account',
  EmailChanged: 'account',
  WebhookEnded: 'account',
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
  database: Database<PrismaClient>;
  /** Per mailbox and hour; further messages wait for a digest. 0: no limit. */
  maxAboutOrders: number;
  repository: MailRepository;
  make: MakeMail;
  smtp: SmtpClient;
}

/** What became of an attempt. */
type Attempt = { isSent: true } | { secondsToWait: number };

/** Mails that are being sent at once, of orders and of accounts each. */
const perLane = 20;
/** A mail server may be slow: after the end of the lease another sender may send the message a second time. */
const sendMs = 280_000;
const pauses = { firstMs: 2_000, maxMs: 600_000 };
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
 * good. It retries other failures with increasing delays for a day. If a mailbox has reached its limit, further messages about
 * orders become one digest.
 */
export function mailSender({ database, repository, make, smtp, maxAboutOrders }: MailSenderOptions): Job {
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

  async function send(mail: DueMail): Promise<Attempt> {
    const made = await make(mail, mail.kind === digestKind ? await repository.parts(mail.id) : []);
    const seconds = await secondsToWait(mail, made.to.address);
    if (seconds !== undefined) return { secondsToWait: seconds };
    await smtp.send(mail.id, made);
    return { isSent: true };
  }

  /** Beyond the limit messages about orders wait for a digest. Others have a link or are urgent, so they wait until the limit allows them. */
  function settle(tx: Transaction, one: Ended<DueMail, Attempt>, log: Logger): Next {
    if ('error' in one) return settleFailure(tx, one.call, one.error, log);
    const { call: mail, outcome } = one;
    if ('isSent' in outcome) {
      attempted.inc({ result: 'sent' });
      markSent(tx, mail.id);
      return 'done';
    }
    const isAboutOrder = mail.kind !== digestKind && limitOf[mail.kind] === 'orders';
    log.info(
      { notificationId: mail.id, isAboutOrder },
      'A message waits, because its mailbox got too many within an hour',
    );
    if (!isAboutOrder) return { againInMs: outcome.secondsToWait * 1_000 };
    addToDigest(tx, mail.id);
    return 'done';
  }

  return {
    start(log) {
      const sending = outgoing(database, {
        name: mailQueue,
        ...mailTable,
        perLane,
        callMs: sendMs,
        make: send,
        settle: (tx, ended, log) => ended.map((one) => settle(tx, one, log)),
      }).start(log);
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

function settleFailure(tx: Transaction, mail: DueMail, error: unknown, log: Logger): Next {
  const about = { notificationId: mail.id };
  const isGone = error instanceof DomainError && error.kind === 'notFound';
  const isTooOld = Date.now() - mail.createdAt.getTime() > givenUpAfterMs;
  if (error instanceof MailRefused || isGone || isTooOld) {
    if (!isGone) attempted.inc({ result: 'given_up' });
    log[isGone ? 'info' : 'error']({ err: error, ...about }, 'A message will not be sent');
    markRefused(tx, mail.id, messageOf(error));
    return 'done';
  }
  attempted.inc({ result: 'postponed' });
  const { attempts } = mail;
  const againInMs = backoff(attempts, pauses);
  const seconds = Math.ceil(againInMs / 1000);
  log.warn({ err: error, ...about, attempts, seconds }, 'A message could not be sent and will be retried');
  return { againInMs };
}
