import { randomBytes } from 'node:crypto';

// A database has two roles that log in, of which services use one (docs/decisions/0019).

/** On the Secret that says how far a rotation has come: the roles that an unfinished one changes to, separated by blanks. */
export const nextAnnotation = 'store/next-database-roles';
/** On the pods: which logins they were started with. */
export const podAnnotation = 'store/database-logins';

/** One role has the name of the database, the other one this behind it. */
const second = '.b';
export const isSecond = (role: string) => role.endsWith(second);
export const databaseOf = (role: string) => (isSecond(role) ? role.slice(0, -second.length) : role);
export const otherRole = (role: string) => (isSecond(role) ? databaseOf(role) : `${role}${second}`);

/** Needs no escaping in a URL. */
export const newPassword = () => randomBytes(32).toString('base64url');
