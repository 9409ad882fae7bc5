import express, { type Express } from 'express';
import { Webhook } from 'standardwebhooks';

/** What `GET /orders/{id}` returns: further fields are in docs/openapi.yaml. */
export interface Order {
  id: string;
  status: string;
  [field: string]: unknown;
}

interface Message {
  type: string;
  timestamp: string;
  /** Empty in a message of the type `Test`. */
  data: { order?: Order; sequence?: number };
}

export interface Received {
  order: Order;
  sequence: number;
}

/**
 * Makes a receiver that knows the latest state of each order. It answers 204 once it has kept what it was told; any other answer, or
 * none within 10 s, has the store send the message again.
 * @param secret as `POST /webhooks` returns it
 * @param changed called for each order that has a new state, before the store is answered. Keep work that takes long for later
 */
export function createReceiver(
  secret: string,
  changed: (received: Received, type: string) => unknown = () => undefined,
): { app: Express; orders: ReadonlyMap<string, Received> } {
  const webhook = new Webhook(secret);
  // A real receiver keeps both in its database, and changes them in one transaction.
  const seen = new Set<string>();
  const orders = new Map<string, Received>();

  async function keep({ type, data: { order, sequence } }: Message): Promise<void> {
    if (order === undefined || sequence === undefined) return;
    // Messages come in any sequence: the greatest number has the latest state.
    const known = orders.get(order.id);
    if (known !== undefined && known.sequence > sequence) return;
    const received = { order, sequence };
    await changed(received, type);
    orders.set(order.id, received);
  }

  const app = express();
  // Not parsed, because the signature is of the text.
  app.post('/store', express.text({ type: 'application/json', limit: '1mb' }), async (req, res) => {
    const id = req.header('webhook-id') ?? '';
    let message: Message;
    try {
      message = webhook.verify(req.body, req.headers as Record<string, string>) as Message;
    } catch {
      res.status(401).end();
      return;
    }
    if (!seen.has(id)) {
      await keep(message);
      seen.add(id);
    }
    res.status(204).end();
  });
  return { app, orders };
}
