import { z } from 'zod';
import { type AnyRoute, ok, route } from '../http/route.ts';

// The data that each service keeps about an account, page by page, for its export (contract 4.3).

export const accountDataPath = '/internal/account-data';
const pageSize = 100;

export const accountDataOut = z.object({ records: z.array(z.looseObject({})), next: z.string().nullable() });

const [beforeRecords, afterRecords] = ['{"records":[', '],"next":'];

/**
 * Reads a page of {@link accountDataRoute} as text: the records are only passed on, and parsing thousands of them would block the
 * event loop.
 * @returns the records, separated by commas; undefined if the text is not a page
 */
export function readAccountData(text: string): { records: string; next: string | undefined } | undefined {
  const end = text.lastIndexOf(afterRecords);
  const [whole, next] = /^(?:null|"([^"\\]+)")\}$/.exec(text.slice(end + afterRecords.length)) ?? [];
  if (!text.startsWith(beforeRecords) || end < beforeRecords.length || whole === undefined) return undefined;
  return { records: text.slice(beforeRecords.length, end), next };
}

interface Page {
  rows: readonly { json: string }[];
  next?: string | undefined;
}

/** Makes the route that gives the account service a customer's records, each a JSON object, on behalf of the customer. */
export const accountDataRoute = (
  read: (accountId: string, page: { size: number; after: string | undefined }) => Promise<Page>,
): AnyRoute =>
  route({
    method: 'get',
    path: accountDataPath,
    identity: 'account',
    query: z.object({ after: z.string().min(1).max(2_000).optional() }),
    responses: { 200: { description: 'A page.', body: accountDataOut } },
    async handler({ accountId, query: { after } }) {
      const { rows, next } = await read(accountId, { size: pageSize, after });
      const records = rows.map(({ json }) => json).join();
      return ok({ json: `{"records":[${records}],"next":${JSON.stringify(next ?? null)}}` });
    },
  });
