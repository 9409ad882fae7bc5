import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import pg from 'pg';

// The baseline that make bench compares the services with: answers GET /products?size=100, GET /products/{id}, POST /orders and
// GET /orders/{id} with only node:http and pg, and everything else with an empty list.

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

/**
 * Does the same work as the product service's statement for this request, in the same way: one round trip, with JSON and cursor made
 * by PostgreSQL. If the service's statement improves, improve this one: the comparison is about the code around the statement.
 */
const page = `
  select coalesce(json_agg(json_build_object('id', id, 'name', name, 'price', trim_scale(price), 'unit', unit) order by n)
                  filter (where n <= $1::int), '[]')::text as json,
         case when count(*) > $1::int
              then max(json_build_array(to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), id::text)::text)
                   filter (where n = $1::int)
         end as last
  from (select *, row_number() over (order by created_at, id) as n
        from (select * from products order by created_at, id limit $1::int + 1) as rows) as page`;

const listProducts = async () => (await pool.query<{ json: string }>(page, [100])).rows[0]?.json ?? '';

interface Item {
  productId: string;
  quantity: number;
}

/** Does the inserts of the order service in one transaction, with a round trip for each. Prices are constants. */
async function placeOrder(req: IncomingMessage): Promise<string> {
  const { items }: { items: Item[] } = JSON.parse(await text(req));
  const account = req.headers['id-account'];
  const [id, now] = [randomUUID(), new Date()];
  const unitPrice = { amount: 1.25, currency: 'USD' };
  const total = { ...unitPrice, amount: items.reduce((sum, { quantity }) => sum + quantity * 1.25, 0) };
  const priced = items.map((item) => ({ ...item, unitPrice }));
  const order = { id, customerId: account, status: 'PENDING', total, items: priced, createdAt: now, updatedAt: now };
  const event = { orderId: id, customerId: account, timestamp: now, items, total };
  const rows = items.map((_, index) => `($1, ${index + 1}, $${2 * index + 2}, $${2 * index + 3}, 1.25)`);
  const json = JSON.stringify(order);

  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(
      `insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
       values ($1, $2, 'PENDING', $3, 'USD', $4, $4)`,
      [id, account, total.amount, now],
    );
    await client.query(
      `insert into order_items (order_id, position, product_id, quantity, unit_price) values ${rows}`,
      [id, ...items.flatMap(({ productId, quantity }) => [productId, quantity])],
    );
    await client.query(
      `insert into outbox (id, kind, key, payload, created_at) values ($1, 'OrderCreated', $2, $3, $4)`,
      [randomUUID(), id, JSON.stringify(event), now],
    );
    await client.query(
      `insert into idempotency_keys (account_id, key, request_hash, location, body, created_at)
       values ($1, $2, 'hash', $3, $4, $5)`,
      [account, req.headers['idempotency-key'], `/orders/${id}`, json, now],
    );
    await client.query('commit');
  } finally {
    client.release();
  }
  return json;
}

const statementsById: Record<string, string> = {
  products: `
    select json_build_object('id', id, 'name', name, 'price', trim_scale(price), 'unit', unit)::text as json
    from products where id = $1`,
  orders: `
    select json_build_object('id', id, 'customerId', account_id, 'status', status, 'total', total_amount, 'items', (
             select json_agg(json_build_object('productId', product_id, 'name', name, 'quantity', quantity,
                                               'unitPrice', unit_price) order by position)
             from order_items where order_id = orders.id
           ), 'createdAt', created_at, 'updatedAt', updated_at)::text as json
    from orders where id = $1`,
};

/** Answers GET /products/{id} and GET /orders/{id}, and everything else with an empty list. */
async function readById({ url = '' }: IncomingMessage): Promise<string> {
  const [, things = '', id] = url.split('/');
  const statement = statementsById[things];
  if (statement === undefined || id === undefined) return '[]';
  return (await pool.query<{ json: string }>(statement, [id])).rows[0]?.json ?? '';
}

const answers: Record<string, (req: IncomingMessage) => Promise<string>> = {
  'GET /products?size=100': listProducts,
  'POST /orders': placeOrder,
};

const accountId = randomUUID();

createServer(async (req, res) => {
  const json = await (answers[`${req.method} ${req.url}`] ?? readById)(req);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) };
  // Like auth, for the token check of the gateway.
  if (req.url === '/check') res.setHeader('id-account', accountId).setHeader('authorization', 'Bearer token');
  res.writeHead(req.method === 'POST' ? 201 : 200, headers).end(json);
}).listen(Number(process.env.PORT), '127.0.0.1');
