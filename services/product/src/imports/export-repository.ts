import type { Database } from '@store/shared/database/database';
import { literal, sql } from '@store/shared/database/sql';
import { DomainError } from '@store/shared/values/errors';
import type { PrismaClient } from '../generated/client.ts';

const batch = 1_000;
/** That a process sends at a time. */
const maxExports = 3;

export type ExportRepository = ReturnType<typeof createExportRepository>;

export function createExportRepository({ lists }: Database<PrismaClient>) {
  let sending = 0;

  /** Images as jsonb, because json keeps line ends that other writers left between its values. */
  const linesAfter = (caller: string, sku: string) =>
    lists.inTurn(caller, () =>
      lists.run<{ sku: string; json: string }>(sql`
        select sku, row_to_json(line)::text as json from (
          select sku, name, trim_scale(price) as price, unit, description, images::jsonb as images, category,
                 tax_permille as "taxPermille"
          from products where sku > ${sku} order by sku limit ${literal(batch)}
        ) as line`),
    );

  return {
    /**
     * Reads all products that have a sku, in its order, as lines of an import. Each batch is current when it is read.
     * @throws DomainError unavailable if too many exports are being sent
     */
    async read(caller: string): Promise<AsyncGenerator<string>> {
      if (sending >= maxExports)
        throw new DomainError('unavailable', 'Too many exports are being sent. Try again shortly.', {
          code: 'overloaded',
          retryAfterSeconds: 5,
        });
      // Before the answer begins, so that an unavailable database is a 503.
      const first = await linesAfter(caller, '');
      async function* pieces(): AsyncGenerator<string> {
        sending += 1;
        try {
          for (let rows = first; ; rows = await linesAfter(caller, rows.at(-1)?.sku ?? '')) {
            if (rows.length > 0) yield `${rows.map(({ json }) => json).join('\n')}\n`;
            if (rows.length < batch) return;
          }
        } finally {
          sending -= 1;
        }
      }
      return pieces();
    },
  };
}
