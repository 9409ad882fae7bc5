import pg from 'pg';
import { serve } from './server.ts';

// Answers GET /products?size=100 with nothing but node:http and pg, by a statement like that of the product service.
const sql = `
  select coalesce(json_agg(json_build_object('id', id, 'name', name, 'price', trim_scale(price), 'unit', unit) order by n)
                  filter (where n <= $1::int), '[]')::text as json
  from (select *, row_number() over (order by created_at, id) as n
        from (select * from products order by created_at, id limit $1::int + 1) as rows) as page`;

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

serve(async (_req, res) => {
  const { rows } = await pool.query<{ json: string }>({ name: 'page', text: sql, values: [100] });
  const json = rows[0]?.json ?? '';
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) }).end(json);
});
