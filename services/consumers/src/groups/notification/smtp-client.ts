import { createTransport } from 'nodemailer';
import type { Mail } from './mails/mail.ts';

interface SmtpOptions {
  url: string;
  /** Such as `Store <no-reply@example.com>`. */
  from: string;
}

export class MailRefused extends Error {
  override name = 'MailRefused';
}

export type SmtpClient = ReturnType<typeof createSmtpClient>;

/** Connects when the first mail is sent. */
export function createSmtpClient({ url, from }: SmtpOptions) {
  const transport = createTransport({
    url,
    pool: true,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 20_000,
  });
  const domain = /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'store.invalid';
  return {
    /**
     * @param id the same for a mail that is sent again, so that mailboxes can deduplicate
     * @throws MailRefused if the mail server will never take it
     */
    async send(id: string, mail: Mail): Promise<void> {
      await transport.sendMail({ ...mail, from, messageId: `<${id}@${domain}>` }).catch((error: unknown) => {
        throw isRefusal(error) ? new MailRefused(error.message, { cause: error }) : error;
      });
    },
    close: () => transport.close(),
  };
}

/** A 5yz reply must not be repeated (RFC 5321, 4.2.1), unless it is to the login and not to this message. */
function isRefusal(error: unknown): error is Error {
  const { code, responseCode = 0 } = error as { code?: string; responseCode?: number };
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500 && responseCode < 600;
}
