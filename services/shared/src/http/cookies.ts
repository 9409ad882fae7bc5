import cookieParser from 'cookie-parser';
import type { Handler } from 'express';
import { z } from 'zod';

/** More often than a client would repeat a cookie by mistake. */
const maxRepeats = 10;

/**
 * Returns a function that reads one cookie of a `Cookie` header, trimmed and without surrounding quotes (RFC 6265, 4.1.1), but not
 * decoded. It returns the first two different values, since parsers disagree on which counts. A cookie that is repeated more than ten
 * times counts as two different values. A comma also separates cookies, because proxies join two headers with it. The expression never
 * backtracks and reads the header once: the client controls the header, and a list of all its cookies would cost milliseconds.
 * @param name consists of letters, digits, - and _
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

/** Reads the cookies that a route names. cookie-parser sees no others: 58 KB of cookies that look like JSON would cost it 58 ms of CPU. */
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
