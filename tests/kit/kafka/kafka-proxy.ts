import { mkdir, rmdir } from 'node:fs/promises';
import { createTcpProxy, type ProxyMode } from '../tcp-proxy.ts';

/** API keys of Kafka protocol requests. */
const apiKeys = {
  Produce: 0,
  Fetch: 1,
  OffsetCommit: 8,
  JoinGroup: 11,
  Heartbeat: 12,
  ApiVersions: 18,
} as const;
export type ApiName = keyof typeof apiKeys;

interface Listener {
  port: number;
  proxyPort: number;
  /** A directory that exists while a test file uses the listener. */
  lock: string;
}

const listeners: Listener[] = JSON.parse(process.env.TEST_KAFKA_PROXIED ?? '[]');

/** A directory serves as the lock, because test files run at the same time. */
async function lockListener(): Promise<Listener> {
  for (const listener of listeners) {
    try {
      await mkdir(listener.lock);
      return listener;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  throw new Error('The broker has no further listener for a proxy: tests/kit/jest/shared.mjs says how many it has.');
}

/**
 * A TCP proxy in front of the broker that the Jest set-up started. Its clients reach the broker only through it. It closes when the
 * test file ends.
 */
export async function createKafkaProxy() {
  const listener = await lockListener();
  let trap: { api: ApiName; mode: ProxyMode; spring(): void } | undefined;
  let unanswered: ApiName | undefined;
  let awaited: { key: number; take(request: Buffer): void } | undefined;

  function onSend(bytes: Buffer): boolean {
    const requests = requestsIn(bytes);
    const keys = requests.map(({ key }) => key);
    const found = requests.find(({ key }) => key === awaited?.key);
    if (found) awaited?.take(found.request);
    if (trap !== undefined && keys.includes(apiKeys[trap.api])) {
      const { mode, spring } = trap;
      trap = undefined;
      proxy.set(mode).then(spring);
    }
    return unanswered !== undefined && keys.includes(apiKeys[unanswered]);
  }

  const proxy = await createTcpProxy(`kafka://127.0.0.1:${listener.port}`, { port: listener.proxyPort, onSend });
  return {
    ...proxy,
    brokers: [new URL(proxy.url).host],
    async close() {
      await proxy.close();
      await rmdir(listener.lock);
    },
    /** Sets the mode when a client next sends such a request, before it is forwarded, and then resolves. */
    breakAt: (api: ApiName, mode: ProxyMode) =>
      new Promise<void>((spring) => {
        trap = { api, mode, spring };
      }),
    /** The next such request that a client sends. Large requests may be missed. */
    next: (api: ApiName) =>
      new Promise<Buffer>((take) => {
        awaited = { key: apiKeys[api], take };
      }),
    /** Silences each connection at its first such request; undefined stops silencing further ones. */
    silenceAt: (api: ApiName | undefined) => {
      unanswered = api;
    },
  };
}

/** The requests in a chunk, with their API keys. A chunk starts with a request unless the previous request was large. */
function requestsIn(bytes: Buffer) {
  const requests: { key: number; request: Buffer }[] = [];
  let end: number;
  for (let at = 0; at + 6 <= bytes.length; at = end) {
    end = at + 4 + Math.max(0, bytes.readInt32BE(at));
    requests.push({ key: bytes.readInt16BE(at + 4), request: bytes.subarray(at, end) });
  }
  return requests;
}
