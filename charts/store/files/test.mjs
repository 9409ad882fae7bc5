// helm test: checks that the gateway answers and, unless WALK=false, registers a customer who orders something, waits for the order
// to be confirmed, and removes order, product and account again.
import { setTimeout as wait } from 'node:timers/promises';

const gateway = process.env.GATEWAY;
let cookie = '';

// The gateway finds a new replica within seconds. Until then it answers 503 with Retry-After.
const retryUntil = Date.now() + 30_000;

async function ask(method, path, statuses, body) {
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
    return ask(method, path, statuses, body);
  }
  if (![statuses].flat().includes(answer.status))
    throw new Error(`${method} ${path}: expected ${statuses}, got ${answer.status}: ${text}`);
  cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
  return /^[{[]/.test(text) ? JSON.parse(text) : text;
}

async function walk() {
  const { MAIL_DOMAIN = 'example.com' } = process.env;
  const credentials = { email: `helm-test-${crypto.randomUUID()}@${MAIL_DOMAIN}`, password: crypto.randomUUID() };
  const account = await ask('POST', '/auth/register', 201, { name: 'Helm test', ...credentials });
  await ask('POST', '/auth/login', 200, credentials);
  try {
    await ask('GET', '/accounts', 200);
    await ask('GET', '/api/v1/status/?limit=1', 200);
    // If customers may not write products, it orders an existing one: the cheapest, for which payment is not declined.
    const own = await ask('POST', '/products', [201, 403], { name: 'Helm test', price: 1.25, unit: 'piece' });
    try {
      const productId = own.id ?? (await findInStock());
      if (productId === undefined) console.log('Nothing is ordered: there is no product yet.');
      else await order(productId);
    } finally {
      if (own.id) await ask('DELETE', `/products/${own.id}`, 204);
    }
  } finally {
    await ask('DELETE', `/accounts/${account.id}`, 204, { password: credentials.password });
  }
}

// undefined for a new store without products, which is not a failure.
async function findInStock() {
  const products = await ask('GET', '/products?sort=price,asc&size=50', 200);
  if (products.length === 0) return undefined;
  const stock = await ask('GET', `/products/availability?${products.map(({ id }) => `id=${id}`).join('&')}`, 200);
  const inStock = new Set(stock.filter(({ available }) => available > 0).map(({ productId }) => productId));
  const found = products.find(({ id }) => inStock.has(id));
  if (found === undefined)
    throw new Error(
      'No product is in stock, so nothing could be ordered. Add one with stock, or set test.walk=false to try less.',
    );
  return found.id;
}

async function order(productId) {
  const placed = await ask('POST', '/orders', [201, 403], { items: [{ productId, quantity: 1 }] });
  if (placed.type === 'urn:problem:store:email-not-confirmed') {
    console.log(`Nothing is ordered: ${placed.detail}`);
    return;
  }
  if (placed.id === undefined) throw new Error(`POST /orders: ${placed.detail}`);
  try {
    for (const deadline = Date.now() + 60_000; ; await wait(500)) {
      const { status } = await ask('GET', `/orders/${placed.id}`, 200);
      if (status === 'CONFIRMED') break;
      if (Date.now() > deadline) throw new Error(`The order is still ${status} after a minute: its events are not handled.`);
    }
  } finally {
    // This also cancels the order, which returns stock and payment.
    await ask('DELETE', `/orders/${placed.id}`, 204);
  }
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
