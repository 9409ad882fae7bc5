import { z } from 'zod';
import { roleNames } from '../http/identity.ts';
import { email, password, personName, soughtEmail, text, timestamp, uuid } from '../values/fields.ts';

// Accounts, exchanged between auth and the account service (contract 4.3 and 3.5).

export const maxPasswordLength = 128;

/** Leaves the rules to the account service, because only it knows them (contract 3.5). */
export const newPassword = password(0, maxPasswordLength).meta({
  minLength: 1,
  description: 'The store may require more characters or refuse common passwords; its 400 says so.',
});

const locale = z.enum(['en', 'pt']).describe('The language of mails.');

export const accountIn = z
  .object({
    name: personName(1, 200).describe('One line, without links.'),
    email,
    password: newPassword,
    locale: locale.optional(),
  })
  .meta({ id: 'AccountIn', examples: [{ name: 'Ada', email: 'ada@example.com', password: 'correct horse' }] });

export const accountChange = z
  .object({
    name: accountIn.shape.name.optional(),
    locale: locale.optional(),
    email: email
      .optional()
      .describe('Takes effect when the link in the mail to the new address is followed. Needs currentPassword.'),
    currentPassword: password(1, maxPasswordLength).optional(),
  })
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    'must have at least one field to change',
  )
  .refine(({ email, currentPassword }) => email === undefined || currentPassword !== undefined, {
    path: ['currentPassword'],
    message: 'is needed to change the e-mail address',
  })
  .meta({ id: 'AccountChange', examples: [{ name: 'Ada Lovelace' }] });

const exampleToken = 'qL2xW0m9Yb7cR4tV1nK8sJ5hG3fD6aZpE0uI2oX9wTQ';

/** The store's rules for new passwords. */
export interface PasswordRules {
  /** In code points. */
  minLength: number;
  /** Tells whether a password is among the most common. */
  isCommon(password: string): boolean;
}

const passwordBy = ({ minLength, isCommon }: PasswordRules) =>
  password(minLength, maxPasswordLength).refine(
    (text) => !isCommon(text),
    'is one of the most common passwords: choose another',
  );

export const accountInBy = (rules: PasswordRules) => accountIn.extend({ password: passwordBy(rules) });

export const passwordInBy = (rules: PasswordRules) => z.object({ password: passwordBy(rules) });

/** Laxer than at registration: credentials that cannot belong to an account are answered like a wrong password. */
export const credentials = z
  .object({ email: soughtEmail, password: password(1, maxPasswordLength) })
  .meta({ id: 'Credentials', examples: [{ email: 'ada@example.com', password: 'correct horse' }] });

const exampleAccount = {
  id: '3f8a1c52-9d0e-4b7a-8c61-5e2d7f4a9b10',
  name: 'Ada',
  email: 'ada@example.com',
  locale: 'en',
  createdAt: '2026-01-31T09:30:00.000Z',
};

export const accountOut = z
  .object({
    id: uuid,
    name: z.string(),
    email: z.string(),
    // The account service of the previous release omits it, which still runs during an upgrade.
    locale: z.string().default('en').describe('The language of mails.'),
    createdAt: timestamp,
  })
  .meta({ id: 'AccountOut', examples: [exampleAccount] });

/** Sent in pieces, because its records come from the services (contract 4.3). */
export const accountExportOut = z
  .object({
    account: accountOut.extend({ confirmedAt: timestamp.nullable() }),
    access: z.array(z.looseObject({})).describe('Roles and sessions.'),
    orders: z.array(z.looseObject({})).describe('Including orders that you have deleted.'),
    payments: z.array(z.looseObject({})),
    reservations: z.array(z.looseObject({})),
    invoices: z.array(z.looseObject({})),
    messages: z.array(z.looseObject({})),
  })
  .meta({
    id: 'AccountExport',
    examples: [
      {
        account: { ...exampleAccount, confirmedAt: null },
        access: [{ roles: [], sessions: [] }],
        orders: [],
        payments: [],
        reservations: [],
        invoices: [],
        messages: [],
      },
    ],
  });

export const accountDeletion = z
  .object({ password: password(1, maxPasswordLength) })
  .meta({ id: 'AccountDeletion', examples: [{ password: 'correct horse' }] });

/** contract 3.11 */
export const resetRequest = z
  .object({ email: soughtEmail })
  .meta({ id: 'PasswordResetRequest', examples: [{ email: 'ada@example.com' }] });

const token = text(1, 100).describe('From the link in the mail.');

export const resetIn = z
  .object({ token, password: newPassword })
  .meta({ id: 'PasswordReset', examples: [{ token: exampleToken, password: 'battery staple' }] });

export const resetInBy = (rules: PasswordRules) => resetIn.extend({ password: passwordBy(rules) });

export const resetOut = accountOut.extend({
  // The account service of the previous release omits it.
  isUsed: z.boolean().default(false).describe('True if the link had already set a password, and has not set one now.'),
});

export const confirmationIn = z
  .object({ token })
  .meta({ id: 'EmailConfirmation', examples: [{ token: exampleToken }] });

export const confirmedOut = z.object({ isConfirmed: z.boolean() });

/** The operator who is told what becomes of the work of an account; null if there is none. */
export const answerableOut = z.object({ operatorId: uuid.nullable() });

/** Notification's request for the address of a mail. */
export const mailToIn = z.object({
  requestId: uuid.optional().describe('Id of the request that the mail answers.'),
  isFormer: z
    .boolean()
    .default(false)
    .describe('True for a mail to the address that the account had before the request.'),
});

export const mailTo = z.object({
  name: z.string().optional().describe('Only if the address is confirmed to be the account’s.'),
  email: z.string(),
  locale: z.string(),
  token: z.string().optional().describe('For the link in the mail; an earlier token for the same request is void.'),
});

const role = z.enum(roleNames);

export const rolesIn = z
  .object({
    roles: z
      .array(role)
      .max(10)
      .transform((roles) => [...new Set(roles)].sort()),
  })
  .meta({ id: 'RolesIn', examples: [{ roles: ['catalogue'] }] });
export const rolesOut = z
  .object({ roles: z.array(role) })
  .meta({ id: 'RolesOut', examples: [{ roles: ['catalogue'] }] });

/** An account for operators. The account service of the previous release omits `confirmedAt`. */
export const foundAccountOut = accountOut.extend({ confirmedAt: timestamp.nullish() });
export const lockOut = z.object({
  lockedAt: timestamp.nullable().describe('When the account was locked; null if it is not.'),
});
export const shownSessionsOut = z.array(
  z.object({ id: uuid, since: timestamp, address: z.string().nullable(), userAgent: z.string().nullable() }),
);

export type AccountIn = z.output<typeof accountIn>;
export type Credentials = z.output<typeof credentials>;
export type AccountChange = z.output<typeof accountChange>;
export type PasswordReset = z.output<typeof resetIn>;
export type ResetOut = z.output<typeof resetOut>;
export type MailTo = z.output<typeof mailTo>;
export type AccountOut = z.output<typeof accountOut>;
