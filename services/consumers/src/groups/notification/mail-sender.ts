import type { Logger } from '@store/shared/observability/log';
import type { Job } from '@store/shared/service/service';
import { DomainError, messageOf } from '@store/shared/values/errors';
import { loop } from '@store/shared/values/loop';
import { backoff, dayMs } from '@store/shared/values/time';
import { Counter } from 'prom-client';
import type { DueMail, MailRepository } from './mail-repository.ts';
import type { MakeMail } from './mails/mail.ts';
import { MailRefused, type SmtpClient } from './smtp-client.ts';

interface MailSenderOptions {
  repository: MailRepository;
  make: MakeMail;
  smtp: SmtpClient;
}

const batchSize = 20;
/** Longer than sending a batch takes. After a crash another sender takes over, and may send a message a second time. */
const holdSeconds = 300;
const retry = { firstMs: 2_000, maxMs: 600_000 };
/** Nobody wants to read it later, and its link has ended. */
const givenUpAfterMs = dayMs;

const attempted = new Counter({
  name: 'mails_total',
  help: 'Attempts to send a mail, by result: sent, postponed, given_up.',
  labelNames: ['result'],
});
// A counter that first appears with its first failure would show no increase.
for (const result of ['sent', 'postponed', 'given_up']) attempted.inc({ result }, 0);

/**
 * Sends stored messages, each at least once: a message is marked after the mail server has accepted it, or refused it for
 * good. Other failures are retried with increasing delays for a day. No transaction is open while sending.
 */
export function mailSender({ repository, make, smtp }: MailSenderOptions): Job {
  async function sendOne(mail: DueMail, log: Logger): Promise<unknown> {
    const about = { notificationId: mail.id };
    try {
      await smtp.send(mail.id, await make(mail));
    } catch (error) {
      const isGone = error instanceof DomainError && error.kind === 'notFound';
      const isTooOld = Date.now() - mail.createdAt.getTime() > givenUpAfterMs;
      if (error instanceof MailRefused || isGone || isTooOld) {
        if (!isGone) attempted.inc({ result: 'given_up' });
        log[isGone ? 'info' : 'error']({ err: error, ...about }, 'A message is given up');
        return repository.refused(mail.id, messageOf(error));
      }
      attempted.inc({ result: 'postponed' });
      const { attempts } = mail;
      const seconds = Math.ceil(backoff(attempts, retry) / 1000);
      log.warn({ err: error, ...about, attempts, seconds }, 'A message could not be sent and is retried');
      return repository.postpone(mail.id, seconds);
    }
    attempted.inc({ result: 'sent' });
    return repository.sent(mail.id);
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
