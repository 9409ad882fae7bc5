import { z } from 'zod';
import { roleNames } from '../http/identity.ts';
import { email, password, text, timestamp, uuid } from '../values/fields.ts';

// Accounts as auth and the account service exchange them (contract 4.3 and 3.5).

export const maxPasswordLength = 128;

/** Leaves the minimum to the account service: PASSWORD_MIN_LENGTH is known there alone (contract 3.5). */
export const newPassword = password(0, maxPasswordLength).meta({
  minLength: 1,
  description: 'The store may require more characters (`PASSWORD_MIN_LENGTH`); its 400 says how many.',
});

export const accountIn = z
  .object({
    name: text(1, 200),
    email,
    password: newPassword,
  })
  .meta({ id: 'AccountIn', examples: [{ name: 'Ada', email: 'ada@example.com', password: 'correct horse' }] });

/** The same with its minimum, in code points. */
export const accountInWith = (minPasswordLength: number) =>
  accountIn.extend({ password: password(minPasswordLength, maxPasswordLength) });

export const passwordInWith = (minPasswordLength: number) =>
  z.object({ password: password(minPasswordLength, maxPasswordLength) }).meta({ id: 'PasswordIn' });

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
