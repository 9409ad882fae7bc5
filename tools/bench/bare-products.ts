import pg from 'pg';
import { createProductStore } from '../../services/product/src/product-store.ts';
import { productQuery } from '../../services/product/src/schemas.ts';
import { serve } from './bare-server.ts';

// Answers GET /products?size=100 with nothing but node:http and pg, by the statement of the product service itself.

let sql = '';
let values: unknown[] = [];
const recorder = {
  async $queryRawUnsafe(statement: string, ...parameters: unknown[]) {
    sql = statement;
    values = parameters;
    return [];
  },
} as unknown as Parameters<typeof createProductStore>[0];
await createProductStore(recorder).list(productQuery.parse({ size: '100' }));

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

serve(async (_req, res) => {
  const { rows } = await pool.query<{ json: string }>(sql, values);
  const json = rows[0]?.json ?? '';
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) }).end(json);
});
