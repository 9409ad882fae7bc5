import cookieParser from 'cookie-parser';
import type { Handler } from 'express';
import { z } from 'zod';

/** More than a client repeats a cookie by mistake. */
const maxRepeats = 10;

/**
 * Reads one cookie of a `Cookie` header, trimmed and without quotes around it (RFC 6265, 4.1.1), but not decoded: its first two
 * different values, since parsers disagree on which counts. One that is repeated more than ten times counts as different ones. A comma
 * separates, too: by it proxies join two headers. One pass by an expression that never goes back: the header is of the client's
 * making, and a list of all its cookies would cost milliseconds.
 * @param name letters, digits, - and _
 */
export function cookieReader(name: string): (header: string | undefined) => string[] {
  const pattern = new RegExp(`(?:^|[;,])\\s*${name}\\s*=([^;,]*)`, 'g');
  return (header = '') => {
    const values = new Set<string>();
    let repeats = 0;
    for (const [, value = ''] of header.matchAll(pattern)) {
      values.add(unquoted(value.trim()));
      if (values.size === 2) break;
      repeats += 1;
      if (repeats > maxRepeats) return [...values, ''];
    }
    return [...values];
  };
}

const unquoted = (value: string) =>
  value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;

/** Reads the cookies that a route names. cookie-parser sees no others: 58 KB like JSON would cost it 58 ms of CPU. */
export function readCookies(schema: z.ZodType | undefined): Handler[] {
  if (!(schema instanceof z.ZodObject)) return [];
  const readers = Object.keys(schema.shape).map((name) => ({ name, read: cookieReader(name) }));
  const keepNamed: Handler = (req, _res, next) => {
    const { cookie } = req.headers;
    const named = readers.flatMap(({ name, read }) => {
      const [first] = read(cookie);
      return first === undefined ? [] : `${name}=${first}`;
    });
    req.headers.cookie = named.join('; ');
    next();
  };
  return [keepNamed, cookieParser()];
}
