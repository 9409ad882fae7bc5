import type { Request } from 'express';

/** Characters of a path that a log line holds at most, so that long ones do not fill the disk (contract 1.3). */
const maxLength = 2048;

/** Returns the path for a log line: cut, and without the query, which may be secret. */
export const pathOf = (req: Request): string => (req.originalUrl.split('?', 1)[0] ?? '').slice(0, maxLength);
