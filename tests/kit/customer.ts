import { randomUUID } from 'node:crypto';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of all kinds, the tests say what they expect
  body: any;
}

export interface Customer {
  accountId: string;
  cookie: string;
  email: string;
  password: string;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export async function send(url: string, method: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

/** Registers and logs in through the gateway. */
export async function newCustomer(gatewayUrl: string): Promise<Customer> {
  const email = `${randomUUID()}@example.com`;
  const password = `pass-${randomUUID()}`;
  const registered = await send(`${gatewayUrl}/auth/register`, 'POST', { name: 'Ada', email, password });
  expect(registered.status).toBe(201);
  const loggedIn = await send(`${gatewayUrl}/auth/login`, 'POST', { email, password });
  expect(loggedIn.status).toBe(200);
  const [cookie = ''] = (loggedIn.headers.get('set-cookie') ?? '').split(';');
  return {
    accountId: registered.body.id,
    cookie,
    email,
    password,
    send: (method, path, body, headers = {}) => send(`${gatewayUrl}${path}`, method, body, { cookie, ...headers }),
  };
}

/** Creates products as that customer. */
export async function newProducts(customer: Customer, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 1; n <= count; n += 1) {
    const { status, body } = await customer.send('POST', '/products', {
      name: `Tea ${n}`,
      price: n + 0.25,
      unit: 'kg',
    });
    expect(status).toBe(201);
    ids.push(body.id);
  }
  return ids;
}

/** Follows `Link: rel="next"` to the end. */
export async function paginate(customer: Customer, path: string, onPage?: () => Promise<unknown>): Promise<Answer[]> {
  const pages: Answer[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const page = await customer.send('GET', next);
    expect(page.status).toBe(200);
    pages.push(page);
    next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    if (next !== undefined) await onPage?.();
  }
  return pages;
}
