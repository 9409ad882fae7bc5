import type { Logger } from '@store/shared/observability/log';
import { loop } from '@store/shared/values/loop';
import { backoff } from '@store/shared/values/time';
import type { DueMail, MailRepository } from './mail-repository.ts';

/** @throws MailRefused if the mail server will never take it */
export type SendMail = (mail: DueMail) => Promise<void>;

export class MailRefused extends Error {
  override name = 'MailRefused';
}

interface MailSenderOptions {
  repository: MailRepository;
  send: SendMail;
  log: Logger;
  everyMs?: number;
}

const batchSize = 20;
/** Longer than sending a batch takes. After a crash another sender takes over, and may send a message a second time. */
const holdSeconds = 300;
const retry = { firstMs: 2_000, maxMs: 600_000 };

/**
 * Sends stored messages, each at least once: a message is marked after the mail server has accepted it, or refused it for
 * good. Other failures are retried forever with increasing delays. No transaction is open while sending.
 */
export function startMailSender({ repository, send, log, everyMs }: MailSenderOptions) {
  async function sendOne(mail: DueMail): Promise<void> {
    try {
      await send(mail);
    } catch (error) {
      if (error instanceof MailRefused) {
        log.error({ err: error, notificationId: mail.id }, 'The mail server refuses a message for good');
        return repository.refused(mail.id, error.message);
      }
      const seconds = Math.ceil(backoff(mail.attempts, retry) / 1000);
      log.warn(
        { err: error, notificationId: mail.id, attempts: mail.attempts, seconds },
        'A message could not be sent and is retried',
      );
      return repository.postpone(mail.id, seconds);
    }
    await repository.sent(mail.id);
  }

  async function sendDue(): Promise<boolean> {
    const mails = await repository.claim(batchSize, holdSeconds);
    const results = await Promise.allSettled(mails.map(sendOne));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return mails.length === batchSize;
  }
  return loop({ name: 'mail sender', everyMs }, sendDue).start(log);
}
