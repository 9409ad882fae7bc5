import {
  accountChange,
  accountDeletion,
  accountExportOut,
  accountInBy,
  accountOut,
  credentials,
  foundAccountOut,
  type PasswordRules,
  passwordInBy,
} from '@store/shared/contracts/account';
import type { RecordLook } from '@store/shared/database/audit';
import { nextLink, nextPage } from '@store/shared/http/pagination';
import { etagDescription, ifMatchHeader, stateHeaders } from '@store/shared/http/precondition';
import { type AnyRoute, created, noContent, noStore, ok, problem, route, tooMany } from '@store/shared/http/route';
import { soughtEmail, text, uuid, uuids, wholeNumber } from '@store/shared/values/fields';
import { stringifyJson } from '@store/shared/values/json';
import { z } from 'zod';
import type { ExportAccount } from './account-export.ts';
import type { Accounts } from './accounts.ts';
import { mailRequestRoutes } from './mail-request-routes.ts';
import type { MailRequests } from './mail-requests.ts';
import type { OwnAccount } from './own-account.ts';

const byCustomer = { tag: 'accounts', identity: 'account' } as const;
const params = z.object({ id: uuid });

const searchQuery = z.object({
  q: text(1, 254).describe('A text in the name or the e-mail address, or the beginning of the id.'),
  size: wholeNumber(1, 100).default(20),
  after: z.string().min(1).max(2_000).optional(),
});

interface Parts {
  accounts: Accounts;
  own: OwnAccount;
  mails: MailRequests;
  exportAccount: ExportAccount;
  recordLook: RecordLook;
}

export function accountRoutes(
  { accounts, own, mails, exportAccount, recordLook }: Parts,
  rules: PasswordRules,
): AnyRoute[] {
  return [
    route({
      ...byCustomer,
      method: 'get',
      path: '/accounts',
      operationId: 'listAccounts',
      summary: 'List the accounts visible to the caller, which is only their own',
      responses: { 200: { description: 'An array with one account.', body: z.array(accountOut) } },
      handler: async ({ accountId }) => ok(await accounts.list(accountId)),
    }),
    route({
      ...byCustomer,
      method: 'get',
      path: '/accounts/{id}',
      operationId: 'getAccount',
      summary: 'Fetch your own account',
      params,
      responses: {
        200: { description: 'The account.', body: accountOut, headers: { ETag: etagDescription } },
      },
      async handler({ accountId, params: { id } }) {
        const json = stringifyJson(await accounts.get(id, accountId));
        return ok({ json }, stateHeaders(json));
      },
    }),
    route({
      ...byCustomer,
      method: 'patch',
      path: '/accounts/{id}',
      operationId: 'changeAccount',
      summary: 'Change your name, e-mail address or the language of mails',
      params,
      headers: ifMatchHeader,
      body: accountChange,
      responses: {
        200: { description: 'The account as it is now.', body: accountOut },
        403: problem('The current password is wrong.'),
        429: tooMany('Too many wrong passwords for this account, or too many changes of its address.'),
      },
      handler: async ({ params: { id }, headers, body, ...customer }) =>
        ok(await own.change(customer, id, body, headers['if-match'])),
    }),
    route({
      ...byCustomer,
      method: 'delete',
      path: '/accounts/{id}',
      operationId: 'deleteAccount',
      summary: 'Delete your account and your personal data',
      params,
      body: accountDeletion,
      responses: {
        204: { description: 'Deleted; other services delete their data within a minute.' },
        403: problem('The password is wrong.'),
        429: tooMany('Too many wrong passwords for this account.'),
      },
      async handler({ params: { id }, body, ...customer }) {
        await own.delete(customer, id, body.password);
        return noContent();
      },
    }),
    route({
      ...byCustomer,
      method: 'get',
      path: '/accounts/{id}/export',
      operationId: 'exportAccount',
      summary: 'Export all data stored about your account',
      params,
      responses: {
        200: {
          description: 'One JSON object. It is cut off if a service fails while it is sent.',
          body: accountExportOut,
          headers: { 'Content-Disposition': 'Makes browsers save it as a file.' },
        },
        429: tooMany('An export of the account is already running, or there were five within a day.'),
      },
      async handler({ params: { id }, ended, ...customer }) {
        const json = await exportAccount(customer, id, ended());
        return ok({ json }, { ...noStore, 'Content-Disposition': 'attachment; filename="account.json"' });
      },
    }),
    // Only on the service's own address: the gateway does not route these.
    route({
      identity: 'operator',
      method: 'get',
      path: '/internal/accounts',
      query: z.union([
        z.object({ id: uuid, q: z.undefined().optional() }),
        z.object({ email: soughtEmail, q: z.undefined().optional() }),
        searchQuery,
      ]),
      responses: {
        200: {
          description:
            'With `id` or `email`: the account that has it, or none. With `q`: the accounts that match, newest first.',
          body: z.array(foundAccountOut),
          headers: nextPage,
        },
      },
      async handler({ actor, query, url }) {
        const { accounts: found, next } =
          query.q === undefined
            ? { accounts: await accounts.search(query), next: undefined }
            : await accounts.searchAll(query.q, query);
        for (const { id } of found) await recordLook(actor, id, 'account');
        return ok(found, nextLink(url, next));
      },
    }),
    route({
      identity: 'operator',
      method: 'get',
      path: '/internal/account-names',
      query: z.object({ id: uuids(200) }),
      responses: {
        200: {
          description: 'Names of the given accounts that exist, such as operators in the audit trail.',
          body: z.array(z.object({ id: uuid, name: z.string() })),
        },
      },
      handler: async ({ query: { id } }) => ok(await accounts.namesOf(id)),
    }),
    route({
      identity: 'operator',
      method: 'post',
      path: '/internal/accounts/{id}/confirmation',
      params,
      responses: {
        202: { description: 'The mail that confirms the address is sent again.' },
        409: problem('The address is already confirmed.'),
        429: tooMany('Too many mails about the address within an hour.'),
      },
      async handler({ actor, params: { id } }) {
        await own.repeatConfirmation(actor, id);
        return { status: 202 as const };
      },
    }),
    // The auth service calls these.
    route({
      identity: 'caller',
      method: 'post',
      path: '/internal/accounts',
      body: accountInBy(rules),
      responses: {
        201: { description: 'Registered.', body: accountOut, headers: { Location: 'Path of the new account.' } },
        409: problem('The e-mail address is taken.'),
      },
      async handler({ body, clientAddress }) {
        const account = await accounts.register(body, clientAddress);
        return created(`/accounts/${account.id}`, account);
      },
    }),
    route({
      identity: 'caller',
      method: 'get',
      path: '/internal/accounts/{id}',
      params,
      responses: { 200: { description: 'The account.', body: accountOut } },
      handler: async ({ params: { id } }) => ok(await accounts.getUnlessClosing(id)),
    }),
    route({
      identity: 'caller',
      method: 'put',
      path: '/internal/accounts/{id}/password',
      params,
      body: passwordInBy(rules),
      responses: { 204: { description: 'Replaced.' } },
      async handler({ params: { id }, body, clientAddress }) {
        await accounts.setPassword(id, body.password, clientAddress);
        return noContent();
      },
    }),
    route({
      identity: 'caller',
      method: 'put',
      path: '/internal/accounts/{id}/new-keys/{keyId}',
      params: params.extend({ keyId: uuid }),
      responses: { 204: { description: 'A mail about the key is sent to the account.' } },
      async handler({ params: { id, keyId } }) {
        await accounts.announceKey(id, keyId);
        return noContent();
      },
    }),
    route({
      identity: 'caller',
      method: 'post',
      path: '/internal/password-checks',
      body: credentials,
      responses: {
        200: { description: 'The account that the password belongs to.', body: accountOut },
        401: problem('The e-mail address or the password is wrong.'),
      },
      handler: async ({ body, clientAddress }) => ok(await accounts.checkPassword(body, clientAddress)),
    }),
    ...mailRequestRoutes(mails, rules),
  ];
}
