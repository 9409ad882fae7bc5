import { DomainError } from '@store/shared/values/errors';
import type { AccountClient } from '../account-client.ts';
import { type RenderedMail, renderMail } from './render.ts';
import type { MailData, MailKind } from './words.ts';

/** A message that is to become a mail. */
export interface MailSource {
  id: string;
  customerId: string;
  kind: MailKind;
  /** Null for one of release 0.1, whose words are these. */
  data: MailData | null;
  subject: string;
  text: string;
}

export type MakeMail = (source: MailSource) => Promise<RenderedMail>;

interface Dependencies {
  accounts: AccountClient;
  shopUrl: string;
}

/**
 * Makes mails when they are sent: only then the address of the account is asked for, and a link gets its token.
 * @throws DomainError of the result: notFound if the mail must not be sent any more, unavailable
 */
export const mailMaker =
  ({ accounts, shopUrl }: Dependencies): MakeMail =>
  async ({ customerId, kind, data, ...words }) => {
    const to = await accounts.mailTo(customerId, { requestId: data?.requestId, isFormer: kind === 'EmailChanged' });
    if (to === undefined) throw new DomainError('notFound', 'The account, or the request for this mail, is gone.');
    return renderMail(kind, data ?? words, to, shopUrl);
  };
