import { maxPasswordLength, newPassword } from '@store/shared/contracts/account';
import { apiKeyOut, exampleKey, keyScopes, type newApiKeyOut } from '@store/shared/contracts/api-key';
import { type serviceAccountIn, serviceAccountOut } from '@store/shared/contracts/service-account';
import { givenTime, password, text, timestamp, uuid } from '@store/shared/values/fields';
import { dayMs } from '@store/shared/values/time';
import { z } from 'zod';
import { tokenCookieName } from './tokens/token-cookie.ts';

/** contract 3.4 */
export const tokenIn = z
  .object({ token: z.string() })
  .meta({ id: 'TokenIn', examples: [{ token: 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl' }] });
export const solveOut = z
  .object({ idAccount: uuid })
  .meta({ id: 'SolveOut', examples: [{ idAccount: '3f8a1c52-9d0e-4b7a-8c61-5e2d7f4a9b10' }] });

/** contract 3.10 */
export const passwordChange = z
  .object({ currentPassword: password(1, maxPasswordLength), newPassword })
  .meta({ id: 'PasswordChange', examples: [{ currentPassword: 'correct horse', newPassword: 'battery staple' }] });
export const sessionsOut = z
  .array(
    z.object({
      id: uuid,
      since: timestamp,
      address: z.string().nullable().describe('The client address of the login.'),
      userAgent: z.string().nullable().describe('The User-Agent of the login.'),
      current: z.boolean().describe('Whether it is the session of this request.'),
    }),
  )
  .meta({
    id: 'SessionsOut',
    examples: [
      [
        {
          id: '0b9c2f4e-7d1a-4c55-9e0f-2a6b8d3c1e47',
          since: '2026-01-31T09:30:00.000Z',
          address: '192.0.2.7',
          userAgent: 'Mozilla/5.0',
          current: true,
        },
      ],
    ],
  });

const maxKeyDays = 366;
/** A longer-lived key needs the password, so that a stolen session cannot be turned into a year of access. */
export const freeKeyDays = 90;

const anyKey = z.object({
  name: text(1, 100),
  expiresAt: givenTime
    .refine((time) => Date.parse(time) > Date.now(), 'must be in the future')
    .refine(
      (time) => Date.parse(time) <= Date.now() + maxKeyDays * dayMs,
      `must be at most ${maxKeyDays} days from now`,
    )
    .optional()
    .describe(`At most ${maxKeyDays} days from now. Default: ${freeKeyDays} days from now.`),
  currentPassword: password(1, maxPasswordLength)
    .optional()
    .describe(`The caller's, required for a key that lasts longer than ${freeKeyDays} days.`),
});
const hasPasswordIfLong = ({ expiresAt, currentPassword }: z.output<typeof anyKey>) =>
  currentPassword !== undefined || expiresAt === undefined || Date.parse(expiresAt) <= Date.now() + freeKeyDays * dayMs;
const withoutPassword = {
  path: ['currentPassword'],
  message: `is required for a key that lasts longer than ${freeKeyDays} days`,
};

/** contract 3.12 */
export const apiKeyIn = anyKey
  .extend({ scopes: keyScopes })
  .refine(hasPasswordIfLong, withoutPassword)
  .meta({
    id: 'ApiKeyIn',
    // No `expiresAt`: a fixed time would lie in the past some day.
    examples: [{ name: exampleKey.name, scopes: exampleKey.scopes }],
  });
export const apiKeysOut = z.array(apiKeyOut);
/** contract 3.13 */
export const serviceAccountChange = z
  .object({ name: text(1, 100).optional(), paused: z.boolean().optional() })
  .refine(({ name, paused }) => name !== undefined || paused !== undefined, 'must change name or paused')
  .meta({ id: 'ServiceAccountChange', examples: [{ paused: true }] });
export const serviceAccountsOut = z.array(serviceAccountOut);
export const serviceKeyIn = anyKey
  .refine(hasPasswordIfLong, withoutPassword)
  .meta({ id: 'ServiceKeyIn', examples: [{ name: 'From March' }] });

/** contract 3.7 */
export const sessionsIn = z.object({
  sessions: z
    .array(
      z.object({
        id: uuid,
        accountId: uuid,
        authenticatedAt: z.number(),
        /** Absent from callers of release 0.1. */
        kid: z.string().max(100).optional(),
        /** The session is an API key: its own expiry applies instead of JWT_TTL_SECONDS. */
        isApiKey: z.boolean().optional(),
      }),
    )
    .max(200),
});
export const endedOut = z.object({ ended: z.array(uuid) });

/** cookie-parser parses values that start with `j:` as JSON. A token that is then no string counts as absent. */
export const tokenCookie = z.object({ [tokenCookieName]: z.string().optional().catch(undefined) });

/** RFC 7517, with the keys of RFC 8037 */
export const jwksOut = z.object({
  keys: z.array(
    z.object({
      kty: z.literal('OKP'),
      crv: z.literal('Ed25519'),
      x: z.string(),
      kid: z.string(),
      use: z.literal('sig'),
      alg: z.literal('EdDSA'),
    }),
  ),
});

/** A session as the caller read it from its token. */
export type GivenSession = z.output<typeof sessionsIn>['sessions'][number];
export type PasswordChange = z.output<typeof passwordChange>;
export type OwnSession = z.output<typeof sessionsOut>[number];
export type ApiKeyIn = z.output<typeof apiKeyIn>;
export type ApiKeyOut = z.input<typeof apiKeyOut>;
export type ServiceAccountIn = z.output<typeof serviceAccountIn>;
export type ServiceAccountChange = z.output<typeof serviceAccountChange>;
export type ServiceAccountOut = z.output<typeof serviceAccountOut>;
export type ServiceKeyIn = z.output<typeof serviceKeyIn>;
export type NewApiKeyOut = z.input<typeof newApiKeyOut>;
export type Jwks = z.output<typeof jwksOut>;
