import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { serve } from './server.ts';

// Answers POST /orders by node:http and pg alone: the inserts of the order service in one transaction, a round trip each.
// Prices are constants instead of answers of the product service.

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

interface Item {
  productId: string;
  quantity: number;
}

serve(async (req, res) => {
  const { items }: { items: Item[] } = JSON.parse(await text(req));
  const account = req.headers['id-account'];
  const [id, now] = [randomUUID(), new Date()];
  const amount = items.reduce((sum, { quantity }) => sum + quantity * 1.25, 0);
  const total = { amount, currency: 'USD' };
  const unitPrice = { amount: 1.25, currency: 'USD' };
  const body = JSON.stringify({
    id,
    customerId: account,
    status: 'PENDING',
    total,
    items: items.map((item) => ({ ...item, unitPrice })),
    createdAt: now,
    updatedAt: now,
  });
  const event = JSON.stringify({ orderId: id, customerId: account, timestamp: now, items, total });

  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(
      `insert into orders (id, account_id, status, total_amount, currency, created_at, updated_at)
       values ($1, $2, 'PENDING', $3, 'USD', $4, $4)`,
      [id, account, amount, now],
    );
    const rows = items.map((_, index) => `($1, ${index + 1}, $${2 * index + 2}, $${2 * index + 3}, 1.25)`);
    await client.query(
      `insert into order_items (order_id, position, product_id, quantity, unit_price) values ${rows}`,
      [id, ...items.flatMap(({ productId, quantity }) => [productId, quantity])],
    );
    await client.query(
      `insert into outbox (id, kind, key, payload, created_at) values ($1, 'OrderCreated', $2, $3, $4)`,
      [randomUUID(), id, event, now],
    );
    await client.query(
      `insert into idempotency_keys (account_id, key, request_hash, location, body, created_at)
       values ($1, $2, 'hash', $3, $4, $5)`,
      [account, req.headers['idempotency-key'], `/orders/${id}`, body, now],
    );
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  res.writeHead(201, { ...headers, Location: `/orders/${id}` }).end(body);
});
