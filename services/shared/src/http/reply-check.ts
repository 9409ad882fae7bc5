import { parseJson } from '../values/json.ts';
import type { AnyRoute } from './route.ts';

/** A check costs several times as much as the reply, so under load only some replies are checked. */
const checkedFirst = 1_000;
const thenOneIn = 100;
/** Checking a page of large orders takes 60 ms, in which the process does nothing else. */
const isLong = (json: string | readonly string[] | Buffer): boolean => Array.isArray(json) || json.length > 131_072;

/** Checks replies against the documents outside production (contract 7.3): every status, and some bodies. */
export function createReplyCheck({ method, path, responses }: AnyRoute) {
  const counts = new Map<number, number>();

  return (status: number, json: string | readonly string[] | Buffer | undefined): void => {
    const declared = responses[status];
    if (declared === undefined) throw new Error(`${method} ${path} does not declare status ${status}`);
    const count = (counts.get(status) ?? 0) + 1;
    counts.set(status, count);
    if (count > checkedFirst && count % thenOneIn !== 0) return;
    if (json !== undefined && isLong(json)) return;
    const schema = 'body' in declared ? declared.body : undefined;
    if (schema === undefined ? json !== undefined : !schema.safeParse(json && parseJson(json.toString())).success) {
      throw new Error(`${method} ${path} answers ${status} with a body that it does not declare: ${json}`);
    }
  };
}
