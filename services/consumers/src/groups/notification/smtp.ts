import { createTransport } from 'nodemailer';
import type { SendMail } from './mail-sender.ts';

interface SmtpOptions {
  url: string;
  from: string;
  /** Of the customers' addresses. */
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
      await transport.sendMail({
        from,
        to: `${customerId}@${domain}`,
        subject,
        text,
        // The same for a message that is sent twice, so that mailboxes can deduplicate.
        messageId: `<${id}@${domain}>`,
      });
    },
    close: () => transport.close(),
  };
}
