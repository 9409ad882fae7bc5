import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: answers of all kinds, the tests say what they expect
  body: any;
}

export type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

/** One connection, kept as a browser keeps it; with `fresh` a new one for every request. */
export function createClient(url: string, fresh = false): { send: Send; close(): void } {
  const agent = new Agent({ keepAlive: !fresh, maxSockets: 1 });
  const send: Send = (method, path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const length =
        text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      const asked = request(new URL(path, url), { method, agent, timeout: 20_000, headers: { ...length, ...headers } });
      asked.on('timeout', () => asked.destroy(new Error('no answer within 20 s')));
      asked.on('error', reject);
      asked.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const body = Buffer.concat(chunks).toString();
          const isJson = /^[[{]/.test(body);
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: isJson ? JSON.parse(body) : body,
          });
        });
      });
      asked.end(text);
    });
  return { send, close: () => agent.destroy() };
}

export interface Customer {
  email: string;
  password: string;
  cookie: string;
}

export async function logIn(send: Send, { email, password }: { email: string; password: string }): Promise<string> {
  const { status, headers } = await send('POST', '/auth/login', { email, password });
  if (status !== 200) throw new Error(`POST /auth/login ${status}`);
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

export async function newCustomer(send: Send): Promise<Customer> {
  const credentials = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const { status } = await send('POST', '/auth/register', { name: 'Ada', ...credentials });
  if (status !== 201) throw new Error(`POST /auth/register ${status}`);
  return { ...credentials, cookie: await logIn(send, credentials) };
}

export async function newProduct(send: Send, { cookie }: Customer): Promise<string> {
  const { status, body } = await send(
    'POST',
    '/products',
    { name: 'Cluster test', price: 1.25, unit: 'piece' },
    { cookie },
  );
  if (status !== 201) throw new Error(`POST /products ${status}`);
  return body.id;
}

/** All orders of a customer, each as it is stored. */
export async function storedOrders(send: Send, { cookie }: Customer): Promise<{ id: string; status: string }[]> {
  const orders: { id: string; status: string }[] = [];
  for (let path: string | undefined = '/orders?size=100'; path !== undefined; ) {
    const { status, headers, body }: Answer = await send('GET', path, undefined, { cookie });
    if (status !== 200) throw new Error(`GET ${path} ${status}`);
    orders.push(...body.content);
    path = /<([^>]+)>; rel="next"/.exec(String(headers.link ?? ''))?.[1];
  }
  return orders;
}
