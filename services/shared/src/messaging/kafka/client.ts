import { setMaxListeners } from 'node:events';
import kafkajs, { Kafka, type LogEntry, logLevel, type SASLOptions } from 'kafkajs'; // Node cannot import its errors by name
import type { Logger } from '../../observability/log.ts';
import { within } from '../../values/time.ts';
import { answerTimeoutSeconds, brokerSockets } from './broker-socket.ts';
import './patches.ts';

const connectTimeoutMs = 2_000;
/** kafkajs first waits for requests in flight, in some cases forever. */
const disconnectTimeoutMs = 2_000;
/** Retries inside kafkajs; after them, callers try again with a new client. */
const retry = { initialRetryTime: 100, maxRetryTime: 2_000, retries: 5 };

/** PEM. Called for each connection, because files change while a process runs. */
type TlsFiles = Partial<Record<'ca' | 'cert' | 'key', (() => string) | undefined>>;

/** The password or token is also read for each connection. */
export type Login =
  | { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: () => string }
  | { mechanism: 'oauthbearer'; token: () => Promise<string> };

export interface BrokerOptions {
  brokers: string[];
  tls?: false | TlsFiles;
  login?: Login | undefined;
  /** Zone whose replicas consumers read from. */
  rack?: string | undefined;
}

export interface KafkaOptions extends BrokerOptions {
  clientId: string;
  log: Logger;
  /** Ends the client: closes its connections, and stops its attempts to connect. */
  signal?: AbortSignal;
}

/** Makes a client whose connections close if the broker does not answer ({@link brokerSockets}). After a failure, create a new client. */
export function createKafka({ brokers, tls, login, clientId, log, signal }: KafkaOptions): Kafka {
  const ended = signal ?? new AbortController().signal;
  setMaxListeners(0, ended); // each connection listens
  return new Kafka({
    // A new client tries another broker first, because kafkajs keeps using a broker that accepts connections and closes them.
    brokers: [...brokers].sort(() => Math.random() - 0.5),
    socketFactory: brokerSockets(
      ended,
      tls ? () => ({ ca: tls.ca?.(), cert: tls.cert?.(), key: tls.key?.() }) : undefined,
    ),
    ...(login && { sasl: saslOf(login) }),
    clientId,
    connectionTimeout: connectTimeoutMs,
    // Our sockets close unanswered connections. kafkajs would keep using them, and check each ten times a second.
    enforceRequestTimeout: false,
    authenticationTimeout: 2 * answerTimeoutSeconds * 1_000,
    retry,
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => writeLog(log, entry),
  });
}

function saslOf(login: Login): SASLOptions {
  if (login.mechanism === 'oauthbearer') {
    const oauthBearerProvider = async () => ({ value: await login.token() });
    return { mechanism: login.mechanism, oauthBearerProvider };
  }
  const { mechanism, username } = login;
  return {
    mechanism,
    username,
    get password() {
      return login.password();
    },
  };
}

/** The broker's error code, such as `MESSAGE_TOO_LARGE` (Kafka's "Error Codes"); undefined if it has not answered. */
export function brokerError(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { type, cause } = error as { type?: unknown; cause?: unknown };
  return typeof type === 'string' ? type : brokerError(cause);
}

/** Tells whether an error comes from the Kafka client, such as for a broker that does not answer. */
export const isKafkaError = (error: unknown) => error instanceof kafkajs.KafkaJSError;

/** Disconnects within 2 s. */
export async function disconnect(client: { disconnect(): Promise<void> }): Promise<void> {
  await within(disconnectTimeoutMs, client.disconnect()).catch(() => undefined);
}

/** Returns the outcome of the work, or rejects when the signal is aborted: kafkajs may leave promises of a dead connection pending. */
export async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Not true here: callers retry, and consumers recognise duplicates by their event id, which kafkajs cannot know. */
const unfounded = 'Limiting retries for the idempotent producer may invalidate EoS guarantees';

function writeLog(log: Logger, { level, log: { message, ...rest } }: LogEntry): void {
  const { timestamp: _, logger: __, stack: ___, ...fields } = rest as Record<string, unknown>;
  if (message === unfounded) return;
  // kafkajs logs each failed attempt as an error; the caller decides how severe it is if all fail.
  if (level === logLevel.ERROR || level === logLevel.WARN) log.warn(fields, `Kafka client: ${message}`);
}
