import { mailOut, wholeMailOut } from '@store/shared/contracts/notification';
import { type AnyRoute, ok, route } from '@store/shared/http/route';
import { uuid } from '@store/shared/values/fields';
import { z } from 'zod';
import { byOperator } from '../by-operator.ts';
import type { Services } from '../services-client.ts';

const base = { tag: 'mails', method: 'get', ...byOperator } as const;
const listOut = z.object({
  isSent: z.boolean().describe('Mails go to a mail server, so none are listed here.'),
  mails: z.array(mailOut),
});

/** Makes the routes of mails that are kept if there is no mail server, for developers. */
export function mailPageRoutes({ find, get }: Services): AnyRoute[] {
  return [
    route({
      ...base,
      path: '/api/mails',
      operationId: 'showMails',
      summary: 'List the mails that are not sent',
      responses: { 200: { description: 'The newest 100 mails.', body: listOut } },
      async handler() {
        const mails = await find('notification', '/internal/mails', z.array(mailOut));
        return ok({ isSent: mails === undefined, mails: mails ?? [] });
      },
    }),
    route({
      ...base,
      path: '/api/mails/{id}',
      operationId: 'showMail',
      summary: 'Read a mail; the first reading creates its link',
      params: z.object({ id: uuid }),
      responses: { 200: { description: 'The mail.', body: wholeMailOut } },
      handler: async ({ params: { id }, headers: { 'console-operator': operator } }) =>
        ok(await get('notification', `/internal/mails/${id}`, wholeMailOut, { operator })),
    }),
  ];
}
