// helm test: asks whether the gateway answers and, unless WALK=false, registers a customer and waits for an order to be confirmed.
import { setTimeout as wait } from 'node:timers/promises';

const gateway = process.env.GATEWAY;
let cookie = '';

// The gateway finds a new replica within seconds. Until then it answers 503 with Retry-After.
const retryUntil = Date.now() + 30_000;

async function ask(method, path, status, body) {
  const answer = await fetch(gateway + path, {
    method,
    headers: { cookie, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await answer.text();
  console.log(`${method} ${path} ${answer.status}`);
  if (answer.status === 503 && Date.now() < retryUntil) {
    await wait(1000 * Number(answer.headers.get('retry-after') ?? 1));
    return ask(method, path, status, body);
  }
  if (answer.status !== status) throw new Error(`${method} ${path}: expected ${status}, got ${answer.status}: ${text}`);
  cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
  return text.startsWith('{') ? JSON.parse(text) : text;
}

async function walk() {
  const credentials = { email: `${crypto.randomUUID()}@example.com`, password: crypto.randomUUID() };
  await ask('POST', '/auth/register', 201, { name: 'Helm test', ...credentials });
  await ask('POST', '/auth/login', 200, credentials);
  await ask('GET', '/accounts', 200);
  await ask('GET', '/api/v1/status/?limit=1', 200);
  const product = await ask('POST', '/products', 201, { name: 'Helm test', price: 1.25, unit: 'piece' });
  const order = await ask('POST', '/orders', 201, { items: [{ productId: product.id, quantity: 2 }] });
  for (const deadline = Date.now() + 60_000; ; await wait(500)) {
    const { status } = await ask('GET', `/orders/${order.id}`, 200);
    if (status === 'CONFIRMED') break;
    if (Date.now() > deadline) throw new Error(`The order is still ${status} after a minute: its events are not handled.`);
  }
  await ask('DELETE', `/products/${product.id}`, 204);
}

try {
  await ask('GET', '/health-check', 200);
  await ask('GET', '/accounts', 401);
  if (process.env.WALK !== 'false') await walk();
  console.log('The store works.');
} catch (error) {
  console.error(error.cause ?? error);
  process.exit(1);
}
