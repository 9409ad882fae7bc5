// helm test: the doors, and unless WALK=false a customer's way from registering to a confirmed order.
import { setTimeout as wait } from 'node:timers/promises';

const gateway = process.env.GATEWAY;
let cookie = '';

// What has just become ready is found by the gateway within seconds; until then it says 503, and when to ask again.
const patientUntil = Date.now() + 30_000;

async function ask(method, path, status, body) {
  const answer = await fetch(gateway + path, {
    method,
    headers: { cookie, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await answer.text();
  console.log(`${method} ${path} ${answer.status}`);
  if (answer.status === 503 && Date.now() < patientUntil) {
    await wait(1000 * Number(answer.headers.get('retry-after') ?? 1));
    return ask(method, path, status, body);
  }
  if (answer.status !== status) throw new Error(`${method} ${path} should have been answered with ${status}: ${text}`);
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
    if (Date.now() > deadline) throw new Error(`The order is still ${status} after a minute: the events do not flow.`);
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
