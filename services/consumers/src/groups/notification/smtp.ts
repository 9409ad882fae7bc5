import { createTransport } from 'nodemailer';
import { MailRefused, type SendMail } from './mail-sender.ts';

interface SmtpOptions {
  url: string;
  /** Such as `Store <no-reply@example.com>`. */
  from: string;
}

export function createSmtp({ url, from }: SmtpOptions): { send: SendMail; close(): void } {
  const transport = createTransport({
    url,
    pool: true,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 20_000,
  });
  const domain = /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'store.invalid';
  return {
    async send(id, mail) {
      // The same id for a message that is sent twice, so that mailboxes can deduplicate.
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
