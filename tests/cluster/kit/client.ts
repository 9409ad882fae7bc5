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
      asked.on('error', (error: NodeJS.ErrnoException) =>
        reject(new Error(`${error.message || error.code} on a ${asked.reusedSocket ? 'kept' : 'new'} connection`)),
      );
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

const unexpected = (what: string, { status, body }: Answer) =>
  new Error(`${what} was answered with ${status} ${JSON.stringify(body)}`);

export async function logIn(send: Send, { email, password }: { email: string; password: string }): Promise<string> {
  const answer = await send('POST', '/auth/login', { email, password });
  if (answer.status !== 200) throw unexpected('POST /auth/login', answer);
  return String(answer.headers['set-cookie']).split(';')[0] ?? '';
}

export async function newCustomer(send: Send): Promise<Customer> {
  const credentials = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const answer = await send('POST', '/auth/register', { name: 'Ada', ...credentials });
  if (answer.status !== 201) throw unexpected('POST /auth/register', answer);
  return { ...credentials, cookie: await logIn(send, credentials) };
}

export async function newProduct(send: Send, { cookie }: Customer): Promise<string> {
  const product = { name: 'Cluster test', price: 1.25, unit: 'piece' };
  const answer = await send('POST', '/products', product, { cookie });
  if (answer.status !== 201) throw unexpected('POST /products', answer);
  return answer.body.id;
}

/** All orders of a customer, each as it is stored. */
export async function storedOrders(send: Send, { cookie }: Customer): Promise<{ id: string; status: string }[]> {
  const orders: { id: string; status: string }[] = [];
  for (let path: string | undefined = '/orders?size=100'; path !== undefined; ) {
    const answer: Answer = await send('GET', path, undefined, { cookie });
    if (answer.status !== 200) throw unexpected(`GET ${path}`, answer);
    orders.push(...answer.body.content);
    path = /<([^>]+)>; rel="next"/.exec(String(answer.headers.link ?? ''))?.[1];
  }
  return orders;
}
