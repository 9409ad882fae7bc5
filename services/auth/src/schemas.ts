import { email, password, text, timestamp, uuid } from '@store/shared/values/fields';
import { z } from 'zod';

/** spec: Resources, Account; decisions 3 and 4 */
export const accountIn = z.object({ name: text(1, 200), email, password: password(8, 128) }).meta({ id: 'AccountIn' });

/** Laxer than at registration: what cannot belong to an account is answered like a wrong password. */
export const credentials = z.object({ email: text(1, 254), password: password(1, 128) }).meta({ id: 'Credentials' });

export const accountOut = z
  .object({ id: uuid, name: z.string(), email: z.string(), createdAt: timestamp })
  .meta({ id: 'AccountOut' });

/** spec: Resources, Token resolution */
export const tokenIn = z.object({ token: z.string() }).meta({ id: 'TokenIn' });
export const solveOut = z.object({ idAccount: uuid }).meta({ id: 'SolveOut' });

export type AccountIn = z.output<typeof accountIn>;
export type Credentials = z.output<typeof credentials>;
export type AccountOut = z.output<typeof accountOut>;
