import type { wholeMailOut } from '@store/shared/contracts/notification';
import { DomainError } from '@store/shared/values/errors';
import type { z } from 'zod';
import type { MailSource, MakeMail } from './mails/mail.ts';

/** This many mails take some megabytes. */
const maxKept = 1_000;

type WholeMail = z.input<typeof wholeMailOut>;
export type OpenMail = ReturnType<typeof mailOpener>;

/**
 * Makes mails for readers who have no mailbox. Each mail is made once, because making it again would void its link. Mails
 * are kept as long as the process runs.
 */
export function mailOpener(make: MakeMail) {
  const kept = new Map<string, Promise<WholeMail>>();

  async function open(message: MailSource): Promise<WholeMail> {
    try {
      return await make(message);
    } catch (error) {
      kept.delete(message.id);
      if (!(error instanceof DomainError) || error.kind !== 'notFound') throw error;
      const { subject, text } = message;
      return { to: null, problem: error.message, subject, text, html: '' };
    }
  }

  return (message: MailSource): Promise<WholeMail> => {
    const before = kept.get(message.id);
    if (before !== undefined) return before;
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= maxKept) kept.delete(oldest);
    const opened = open(message);
    kept.set(message.id, opened);
    return opened;
  };
}
