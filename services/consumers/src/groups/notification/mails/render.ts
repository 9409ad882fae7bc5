import type { MailTo } from '@store/shared/contracts/account';
import { html, htmlPage } from '@store/shared/http/page';
import { en } from './en.ts';
import { pt } from './pt.ts';
import type { MailData, MailKind, Message, Words } from './words.ts';

const languages: Record<string, Words> = { en, pt };
export const wordsIn = (locale: string): Words => languages[locale] ?? en;

/** Pages of the shop to which links lead. The token is behind a #, which browsers tell no server. */
const pageOf: Partial<Record<MailKind, string>> = {
  AccountRegistered: 'confirm',
  EmailChangeRequested: 'confirm',
  PasswordResetRequested: 'reset',
};

const style = 'body { font: 16px/1.5 sans-serif; max-width: 36rem; margin: 2rem auto; padding: 0 1rem }';

export interface RenderedMail {
  /** Name and address apart, so that a name can be anything. */
  to: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
}

/**
 * Makes the mail of a message in the language of its account.
 * @param data what the event says, or words to be taken as they are
 */
export function renderMail(kind: MailKind, data: MailData | Message, to: MailTo, shopUrl: string): RenderedMail {
  const { greeting, messages } = wordsIn(to.locale);
  const { subject, text, link }: Message = 'subject' in data ? data : messages[kind](data);
  const url = to.token === undefined ? undefined : `${shopUrl}/#/${pageOf[kind]}/${to.token}`;
  const hello = greeting(to.name);
  const button = url === undefined ? [] : [html`<p><a href="${url}">${link ?? url}</a></p>`];
  return {
    to: { name: to.name, address: to.email },
    subject,
    text: [hello, text, ...(url === undefined ? [] : [`${link}: ${url}`])].join('\n\n'),
    html: htmlPage(subject, style, html`<p>${hello}</p><p>${text}</p>${button}`, to.locale).page,
  };
}
