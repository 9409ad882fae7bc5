import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { type Customer, newProduct } from '../../kit/customer.ts';
import { paginate, readResponse, type Send, sendExpecting } from '../../kit/http.ts';
import { until } from './cluster.ts';

const timeoutMs = 20_000;

interface ClientOptions {
  keepAlive?: boolean;
  /** The certificate of the trusted authority. */
  ca?: string;
}

/** Sends requests on one connection, kept alive like a browser's; without `keepAlive`, on a new connection each. */
export function createClient(url: string, { keepAlive = true, ca }: ClientOptions = {}): { send: Send; close(): void } {
  const { Agent, request } = url.startsWith('https:') ? https : http;
  const agent = new Agent({ keepAlive, maxSockets: 1, ca });
  const send: Send = async (method, path, body, headers = {}) => {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const entity =
      json === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { method, agent, timeout: timeoutMs, headers: { ...entity, ...headers } };
      const sent = request(new URL(path, url), options);
      sent.on('timeout', () => sent.destroy(new Error(`no response within ${timeoutMs / 1000} s`)));
      sent.on('error', (error: NodeJS.ErrnoException) =>
        reject(new Error(`${error.message || error.code} on a ${sent.reusedSocket ? 'reused' : 'new'} connection`)),
      );
      sent.on('response', resolve);
      sent.end(json);
    });
    return readResponse(response.statusCode ?? 0, headersOf(response), await text(response));
  };
  return { send, close: () => agent.destroy() };
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return headers;
}

/** Creates a product and places an order for it. Resolves with the order once it is CONFIRMED. */
export async function placeConfirmed(customer: Customer) {
  const items = [{ productId: await newProduct(customer), quantity: 1 }];
  const { body: order } = await sendExpecting(201, customer.send, 'POST', '/orders', { items });
  await until('the order is confirmed', async () =>
    expect(await storedOrders(customer.send)).toContainEqual(
      expect.objectContaining({ id: order.id, status: 'CONFIRMED' }),
    ),
  );
  return order;
}

/** All stored orders of the customer that `send` belongs to. */
export async function storedOrders(send: Send): Promise<{ id: string; status: string }[]> {
  return (await paginate((path) => send('GET', path), '/orders?size=100')).flatMap(({ content }) => content);
}
