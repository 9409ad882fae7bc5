import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '@store/shared/observability/log';
import type { DueMail, MailRepository } from './mail-repository.ts';

/** @throws MailRefused if the mail server will never take it */
export type SendMail = (mail: DueMail) => Promise<void>;

export class MailRefused extends Error {
  override name = 'MailRefused';
}

export interface MailSenderOptions {
  repository: MailRepository;
  send: SendMail;
  log: Logger;
  idleMs?: number;
}

const batchSize = 20;
/** Longer than sending a batch takes. After a crash another sender takes over, and may send a message a second time. */
const holdSeconds = 300;
const longestBackoffSeconds = 600;

/**
 * Sends stored messages, each at least once: a message is marked after the mail server has accepted it, or refused it for
 * good. Other failures are retried forever with increasing delays. No transaction is open while sending.
 */
export function startMailSender({ repository, send, log, idleMs = 1_000 }: MailSenderOptions) {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function sendOne(mail: DueMail): Promise<void> {
    try {
      await send(mail);
    } catch (error) {
      if (error instanceof MailRefused) {
        log.error({ err: error, notificationId: mail.id }, 'The mail server refuses a message for good');
        return repository.refused(mail.id, error.message);
      }
      const seconds = Math.min(2 ** Math.min(mail.attempts, 20), longestBackoffSeconds);
      log.warn(
        { err: error, notificationId: mail.id, attempts: mail.attempts, seconds },
        'A message could not be sent and is retried',
      );
      return repository.postpone(mail.id, seconds);
    }
    await repository.sent(mail.id);
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        const mails = await repository.claim(batchSize, holdSeconds);
        const results = await Promise.allSettled(mails.map(sendOne));
        const failed = results.find((result) => result.status === 'rejected');
        if (failed) throw failed.reason;
        if (mails.length === batchSize) continue;
      } catch (error) {
        log.warn({ err: error }, 'Messages cannot be read or marked');
      }
      await wait(idleMs, undefined, { signal }).catch(() => undefined);
    }
  }
  const ended = run();

  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
