import { createTransport } from 'nodemailer';
import { MailRefused, type SendMail } from './mail-sender.ts';

interface SmtpOptions {
  url: string;
  from: string;
  /** Domain of the customers' addresses. */
  domain: string;
}

export function createSmtp({ url, from, domain }: SmtpOptions): { send: SendMail; close(): void } {
  const transport = createTransport({
    url,
    pool: true,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 20_000,
  });
  return {
    async send({ id, customerId, subject, text }) {
      const mail = {
        from,
        to: `${customerId}@${domain}`,
        subject,
        text,
        // The same for a message that is sent twice, so that mailboxes can deduplicate.
        messageId: `<${id}@${domain}>`,
      };
      await transport.sendMail(mail).catch((error: unknown) => {
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
