import { z } from 'zod';
import { roleNames } from '../http/identity.ts';
import { email, password, text, timestamp, uuid } from '../values/fields.ts';

// Accounts as auth and the account service exchange them (contract 4.3 and 3.5).

export const maxPasswordLength = 128;

/** Leaves the rules to the account service: they are known there alone (contract 3.5). */
export const newPassword = password(0, maxPasswordLength).meta({
  minLength: 1,
  description: 'The store may require more characters, or refuse passwords that are used often; its 400 says so.',
});

export const accountIn = z
  .object({
    name: text(1, 200),
    email,
    password: newPassword,
  })
  .meta({ id: 'AccountIn', examples: [{ name: 'Ada', email: 'ada@example.com', password: 'correct horse' }] });

export const accountChange = z
  .object({ name: accountIn.shape.name })
  .meta({ id: 'AccountChange', examples: [{ name: 'Ada Lovelace' }] });

/** Rules of a store for new passwords. */
export interface PasswordRules {
  /** In code points. */
  minLength: number;
  /** Tells whether a password is one of those that are guessed first. */
  isCommon(password: string): boolean;
}

const passwordBy = ({ minLength, isCommon }: PasswordRules) =>
  password(minLength, maxPasswordLength).refine(
    (text) => !isCommon(text),
    'is one of those that are used most: choose another',
  );

export const accountInBy = (rules: PasswordRules) => accountIn.extend({ password: passwordBy(rules) });

export const passwordInBy = (rules: PasswordRules) =>
  z.object({ password: passwordBy(rules) }).meta({ id: 'PasswordIn' });

/** Laxer than at registration: what cannot belong to an account is answered like a wrong password. */
export const credentials = z
  .object({ email: text(1, 254), password: password(1, maxPasswordLength) })
  .meta({ id: 'Credentials', examples: [{ email: 'ada@example.com', password: 'correct horse' }] });

export const accountOut = z.object({ id: uuid, name: z.string(), email: z.string(), createdAt: timestamp }).meta({
  id: 'AccountOut',
  examples: [
    {
      id: '3f8a1c52-9d0e-4b7a-8c61-5e2d7f4a9b10',
      name: 'Ada',
      email: 'ada@example.com',
      createdAt: '2026-01-31T09:30:00.000Z',
    },
  ],
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

export type AccountIn = z.output<typeof accountIn>;
export type Credentials = z.output<typeof credentials>;
export type AccountOut = z.output<typeof accountOut>;
