import type { Logger } from '@store/shared/observability/log';
import { DomainError, messageOf } from '@store/shared/values/errors';
import { loop } from '@store/shared/values/loop';
import { backoff } from '@store/shared/values/time';

import type { DueMail, MailRepository } from './mail-repository.ts';
import type { MakeMail } from './mails/mails.ts';
import type { RenderedMail } from './mails/render.ts';

/**
 * @param id the same for a mail that is sent again
 * @throws MailRefused if the mail server will never take it
 */
export type SendMail = (id: string, mail: RenderedMail) => Promise<void>;

export class MailRefused extends Error {
  override name = 'MailRefused';
}

interface MailSenderOptions {
  repository: MailRepository;
  make: MakeMail;
  send: SendMail;
  log: Logger;
  everyMs?: number;
}

const batchSize = 20;
/** Longer than sending a batch takes. After a crash another sender takes over, and may send a message a second time. */
const holdSeconds = 300;
const retry = { firstMs: 2_000, maxMs: 600_000 };
/** Nobody wants to read it later, and its link has ended. */
const givenUpAfterMs = 86_400_000;

/**
 * Sends stored messages, each at least once: a message is marked after the mail server has accepted it, or refused it for
 * good. Other failures are retried with increasing delays for a day. No transaction is open while sending.
 */
export function startMailSender({ repository, make, send, log, everyMs }: MailSenderOptions) {
  async function sendOne(mail: DueMail): Promise<void> {
    try {
      await send(mail.id, await make(mail));
    } catch (error) {
      const isGone = error instanceof DomainError && error.kind === 'notFound';
      const isTooOld = Date.now() - mail.createdAt.getTime() > givenUpAfterMs;
      if (error instanceof MailRefused || isGone || isTooOld) {
        log[isGone ? 'info' : 'error']({ err: error, notificationId: mail.id }, 'A message is given up');
        return repository.refused(mail.id, messageOf(error));
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
