import pg from 'pg';
import { serve } from './server.ts';

// Answers GET /accounts, GET /orders/{id} and GET /products/{id} by node:http and pg alone: one statement, whose JSON PostgreSQL makes.

const timestamp = (column: string) => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const money = (amount: string) => `json_build_object('amount', trim_scale(${amount}), 'currency', currency)`;

const statements: Record<string, string> = {
  accounts: `
    select json_agg(json_build_object('id', id, 'name', name, 'email', email, 'createdAt', ${timestamp('created_at')}))::text as json
    from accounts where id = $1`,
  orders: `
    select json_build_object(
      'id', id, 'customerId', account_id, 'status', status, 'total', ${money('total_amount')},
      'items', (
        select json_agg(
          json_build_object('productId', product_id, 'quantity', quantity, 'unitPrice', ${money('unit_price')}) order by position
        )
        from order_items where order_id = orders.id
      ),
      'createdAt', ${timestamp('created_at')}, 'updatedAt', ${timestamp('updated_at')},
      'version', 1 + num_nonnulls(paid_at, shipped_at, cancelled_at)
    )::text as json
    from orders where account_id = $1 and id = $2`,
  products: `
    select json_build_object('id', id, 'name', name, 'price', trim_scale(price), 'unit', unit, 'version', version)::text as json
    from products where id = $1`,
};

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

serve(async (req, res) => {
  const [, name = '', ...ids] = (req.url ?? '').split('/');
  const values = name === 'products' ? ids : [req.headers['id-account'], ...ids];
  const query = { name, text: statements[name] ?? '', values };
  const json: string = (await pool.query(query)).rows[0].json;
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) }).end(json);
});
