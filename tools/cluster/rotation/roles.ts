import { randomBytes } from 'node:crypto';

// A database has two roles that can log in. Services use one of them at a time (docs/decisions/0019).

/** On the Secret that records the progress of a rotation: the roles that an unfinished rotation changes to, separated by spaces. */
export const nextAnnotation = 'store/next-database-roles';
/** On the pods: the logins that they started with. */
export const podAnnotation = 'store/database-logins';

/** One role has the database's name, the other has this suffix. */
const second = '.b';
export const isSecond = (role: string) => role.endsWith(second);
export const databaseOf = (role: string) => (isSecond(role) ? role.slice(0, -second.length) : role);
export const otherRole = (role: string) => (isSecond(role) ? databaseOf(role) : `${role}${second}`);

/** Needs no escaping in a URL. */
export const newPassword = () => randomBytes(32).toString('base64url');
