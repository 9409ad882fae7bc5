import pg from 'pg';
import { createProductRepository } from '../../../services/product/src/product-repository.ts';
import { productQuery } from '../../../services/product/src/schemas.ts';
import { serve } from './server.ts';

// Answers GET /products?size=100 with nothing but node:http and pg, by the statement of the product service itself.

let [sql, values]: [string, unknown[]] = ['', []];
const record: Parameters<typeof createProductRepository>[1] = async (statement, ...parameters) => {
  [sql, values] = [statement, parameters];
  return [];
};
const noPrisma = {} as Parameters<typeof createProductRepository>[0];
await createProductRepository(noPrisma, record).list(productQuery.parse({ size: '100' }));

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

serve(async (_req, res) => {
  const { rows } = await pool.query<{ json: string }>(sql, values);
  const json = rows[0]?.json ?? '';
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) }).end(json);
});
