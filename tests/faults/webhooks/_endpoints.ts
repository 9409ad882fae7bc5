import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { listen } from '../../kit/listen.ts';

/** What an endpoint has accepted. */
export interface Accepted {
  /** ms since the epoch, of the first time. */
  at: number;
  /** Of each attempt; all must have the same. */
  sequences: Set<number>;
}

export interface Endpoint {
  name: string;
  url: string;
  /** By the id of the delivery. */
  accepted: Map<string, Accepted>;
  /** From now on it accepts everything at once. */
  heal(): void;
  stop(): void;
}

/** @returns the status; never, if it hangs */
type Behaviour = (count: number) => number | Promise<number>;

export const behaviours = {
  healthy: () => 204,
  async slow() {
    await wait(3_000);
    return 200;
  },
  failing: () => 500,
  hanging: () => new Promise<never>(() => undefined),
  /** Works for ten requests, then fails for ten. */
  flapping: (count) => (Math.floor(count / 10) % 2 === 0 ? 204 : 503),
} satisfies Record<string, Behaviour>;

/** Starts a receiver that behaves like this until it is healed. */
export async function startEndpoint(name: keyof typeof behaviours): Promise<Endpoint> {
  let behaviour: Behaviour = behaviours[name];
  let count = 0;
  const accepted: Endpoint['accepted'] = new Map();

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const status = await behaviour(count++);
    if (status < 300) {
      const id = String(req.headers['webhook-id']);
      const { data } = JSON.parse(Buffer.concat(chunks).toString());
      const known = accepted.get(id) ?? { at: Date.now(), sequences: new Set() };
      accepted.set(id, known);
      known.sequences.add(data.sequence);
    }
    res.writeHead(status).end();
  }

  // A sender that is killed ends its requests.
  const server = createServer((req, res) => void answer(req, res).catch(() => res.destroy()));
  return {
    name,
    url: `http://127.0.0.1:${await listen(server)}/${name}`,
    accepted,
    heal() {
      behaviour = behaviours.healthy;
      server.closeAllConnections(); // those that hang
    },
    stop: () => server.close().closeAllConnections(),
  };
}
