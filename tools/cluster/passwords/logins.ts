import { createHash, randomBytes } from 'node:crypto';
import type { V1Secret } from '@kubernetes/client-node';

/** The password of each role, which PostgreSQL is given as files. That of the role `<database>.b` is there after the first rotation. */
export const passwordsSecret = 'postgres';
/** By database: `role:password` of the role that services log in as. */
export const loginsSecret = 'postgres-logins';
/** On the Secret postgres: the roles that an unfinished rotation changes to, separated by blanks. */
export const nextAnnotation = 'store/next-database-roles';
/** On the pods: which logins they were started with. */
export const podAnnotation = 'store/database-logins';

/** A database has two roles that log in, one of its name and one with this behind it. */
const second = '.b';
export const databaseOf = (role: string) => (role.endsWith(second) ? role.slice(0, -second.length) : role);
export const otherRole = (role: string) => (role.endsWith(second) ? databaseOf(role) : `${role}${second}`);

export const textOf = ({ data }: V1Secret, key: string) => Buffer.from(data?.[key] ?? '', 'base64').toString();

/** The roles that services log in as. */
export const rolesIn = (logins: V1Secret): string[] =>
  Object.keys(logins.data ?? {})
    .sort()
    .map((database) => textOf(logins, database).split(':')[0] ?? '');

/** Needs no escaping in a URL. */
export const newPassword = () => randomBytes(32).toString('base64url');

export const withTexts = (secret: V1Secret, texts: Record<string, string>): V1Secret => ({
  ...secret,
  data: {
    ...secret.data,
    ...Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
  },
});

export const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');
