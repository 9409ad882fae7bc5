import { html, htmlPage } from '@store/shared/http/html';
import { DomainError } from '@store/shared/values/errors';
import type { AccountClient } from '../account-client.ts';
import type { OrderClient } from '../order-client.ts';
import { en } from './en.ts';
import { pt } from './pt.ts';
import { digestKind, type MailData, type MailKind, type Message, type Words } from './words.ts';

const languages: Record<string, Words> = { en, pt };

/** Pages of the shop that links lead to. The token follows a #, so browsers do not send it to the server. */
const pageOf: Record<MailKind, string | undefined> = {
  OrderCreated: undefined,
  OrderPaid: undefined,
  PaymentFailed: undefined,
  StockRejected: undefined,
  OrderCancelled: undefined,
  PaymentRefunded: undefined,
  RefundIssued: undefined,
  OrderShipped: undefined,
  AccountRegistered: 'confirm',
  EmailChangePending: 'cancel',
  EmailChangeRequested: 'confirm',
  PasswordResetRequested: 'reset',
  PasswordChanged: undefined,
  ApiKeyMade: undefined,
  WebhookEnded: undefined,
  EmailChanged: undefined,
};

const style = 'body { font: 16px/1.5 sans-serif; max-width: 36rem; margin: 2rem auto; padding: 0 1rem }';

/** A message to be mailed. */
export interface MailSource {
  id: string;
  customerId: string;
  kind: MailKind | typeof digestKind;
  /** Null for a digest, and for a message written in release 0.1, whose mail has this subject and text. */
  data: MailData | null;
  subject: string;
  text: string;
}

/** Of further messages a digest has only the number. */
const maxListed = 100;

/**
 * A name in one line without links. `personName` ensures this for new names, but not for older ones. The space after a dot
 * keeps mail clients from taking a part of the name for a domain.
 */
const shownName = (name: string) =>
  name
    .replace(/[\p{Cc}\p{Bidi_Control}]|:\/\//gu, ' ')
    .replace(/[.。．｡]/g, '$& ')
    .replace(/\s+/g, ' ')
    .trim();

export type MakeMail = ReturnType<typeof mailMaker>;
export type Mail = Awaited<ReturnType<MakeMail>>;

/**
 * Makes a mail when it is sent, in the language of the account. Only then does it ask for the address, a token of the link, and what was
 * entered about a shipment. A digest does not have the latter.
 * @throws DomainError notFound if the mail must no longer be sent, or unavailable
 */
export const mailMaker =
  ({ accounts, orders, shopUrl }: { accounts: AccountClient; orders: OrderClient | undefined; shopUrl: string }) =>
  /** @param parts the messages of a digest */
  async ({ customerId, kind, data, ...stored }: MailSource, parts: MailSource[] = []) => {
    const to = await accounts.mailTo(customerId, { requestId: data?.requestId, isFormer: kind === 'EmailChanged' });
    if (to === undefined) {
      throw new DomainError(
        'notFound',
        'The account or the request for this mail no longer exists, or the address is not confirmed.',
      );
    }
    const { greeting, messages, digest, more } = languages[to.locale] ?? en;
    const messageOf = (
      source: Pick<MailSource, 'kind' | 'subject' | 'text'> & {
        data: Parameters<Words['messages'][MailKind]>[0] | null;
      },
    ): Message => {
      if (source.kind === digestKind) return digest;
      return source.data === null ? source : messages[source.kind](source.data);
    };
    const parcel =
      kind === 'OrderShipped' && data?.orderId !== undefined ? await orders?.parcelOf(data.orderId) : undefined;
    const { subject, text, link } = messageOf({ kind, data: data && { ...data, parcel }, ...stored });
    const listed = parts.slice(0, maxListed).map((part) => messageOf(part).text);
    if (parts.length > maxListed) listed.push(more(parts.length - maxListed));
    const name = to.name === undefined ? undefined : shownName(to.name);
    const hello = greeting(name);
    const page = kind === digestKind ? undefined : pageOf[kind];
    const url = to.token === undefined ? undefined : `${shopUrl}/#/${page}/${to.token}`;
    const button = url === undefined ? [] : [html`<p><a href="${url}">${link ?? url}</a></p>`];
    return {
      /** Name and address are separate, so that a name may contain anything. */
      to: { name: name ?? '', address: to.email },
      subject,
      text: [hello, text, ...listed, ...(url === undefined ? [] : [`${link}: ${url}`])].join('\n\n'),
      html: htmlPage(
        subject,
        style,
        html`<p>${hello}</p><p>${text}</p>${listed.map((line) => html`<p>${line}</p>`)}${button}`,
        to.locale,
      ).page,
    };
  };
