import { createSend, sendExpecting } from '../kit/http.ts';
import type { SharedStore } from './_shared-store.ts';
import { until } from './_store.ts';

interface Mail {
  address: string;
  /** The last part of the mail's link. */
  token: string;
}

/** Reads mails as the console shows them to operators. @returns a function that waits for a customer's next mail with a subject */
export function mailbox({ url, credential }: SharedStore) {
  const read = new Set<string>();
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${credential}` };
    return (await sendExpecting(200, createSend(url('notification')), 'GET', path, undefined, headers)).body;
  };
  return async (customerId: string | undefined, subject: string): Promise<Mail> => {
    let id = '';
    await until(`there is a mail: ${subject}`, async () => {
      const all: { id: string; customerId: string; subject: string }[] = await get('/internal/mails');
      const isNext = (mail: (typeof all)[0]) => mail.customerId === customerId && mail.subject === subject;
      id = all.find((mail) => isNext(mail) && !read.has(mail.id))?.id ?? '';
      return id !== '';
    });
    read.add(id);
    const { to, text } = await get(`/internal/mails/${id}`);
    return { address: to.address, token: /#\/\w+\/(\S+)$/.exec(text)?.[1] ?? '' };
  };
}
