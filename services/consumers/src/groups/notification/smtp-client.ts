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
     * @param id stays the same if the mail is retried, so that mailboxes can deduplicate
     * @throws MailRefused if the mail server refuses the mail for good
     */
    async send(id: string, mail: Mail): Promise<void> {
      await transport.sendMail({ ...mail, from, messageId: `<${id}@${domain}>` }).catch((error: SmtpError) => {
        throw isRefusal(error) ? new MailRefused(describeByCodes(error)) : new Error(describeByCodes(error));
      });
    },
    close: () => transport.close(),
  };
}

/** An error of nodemailer. Its message, its stack and further fields may contain the recipient. */
interface SmtpError extends Error {
  /** Such as ECONNECTION. */
  code?: string;
  /** The code of the mail server's reply. */
  responseCode?: number;
  /** The mail server's reply. */
  response?: string;
  /** The command that it replied to, or during which the connection failed; CONN before the first command. */
  command?: string;
}

/** After a 5yz reply a mail must not be repeated (RFC 5321, 4.2.1), unless the reply is to the login and not to the mail. */
const isRefusal = ({ code, responseCode = 0 }: SmtpError): boolean =>
  (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500 && responseCode < 600;

/** Describes an error by codes alone (RFC 5321, RFC 3463), because the text of a mail server may name the recipient. */
function describeByCodes({ code = 'no code', responseCode, response, command = '', message }: SmtpError): string {
  const [verb] = /^[A-Z]+/.exec(command) ?? ['the mail'];
  if (responseCode !== undefined) {
    const [enhanced] = /(?<=^\d{3}[ -])[245]\.\d{1,3}\.\d{1,3}\b/.exec(response ?? '') ?? [];
    return `The mail server said ${[responseCode, ...(enhanced ? [enhanced] : [])].join(' ')} to ${verb}.`;
  }
  const isSilent = verb === 'CONN' && response === undefined;
  return `The mail server cannot be used (${code}, ${verb})${isSilent ? `: ${message}` : ''}.`;
}
