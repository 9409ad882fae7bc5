import { setMaxListeners } from 'node:events';
import kafkajs, { Kafka, type LogEntry, logLevel, type SASLOptions } from 'kafkajs'; // Node does not find its errors by name
import type { Logger } from '../../observability/log.ts';
import { within } from '../../values/time.ts';
import { answerTimeoutSeconds, brokerSockets } from './broker-socket.ts';
import './patches.ts';

const connectTimeoutMs = 2_000;
/** kafkajs first waits for requests in flight, and was seen to wait forever for one without an answer. */
const disconnectTimeoutMs = 2_000;
/** kafkajs' own attempts; whoever uses a client tries again with a new one. */
const retry = { initialRetryTime: 100, maxRetryTime: 2_000, retries: 5 };

/** PEM, asked for each connection, because it changes while a process runs. */
type TlsFiles = Partial<Record<'ca' | 'cert' | 'key', (() => string) | undefined>>;

/** The password or token is asked for each connection, too. */
export type Login =
  | { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: () => string }
  | { mechanism: 'oauthbearer'; token: () => Promise<string> };

export interface BrokerOptions {
  brokers: string[];
  tls?: false | TlsFiles;
  login?: Login | undefined;
  /** Consumers read from the replica there. */
  rack?: string | undefined;
}

export interface KafkaOptions extends BrokerOptions {
  clientId: string;
  log: Logger;
  /** Ends the client: all its connections, and its attempts to open others. */
  signal?: AbortSignal;
}

/** A client whose connections answer or end ({@link brokerSockets}). What went wrong with one is for a new client to try again. */
export function createKafka({ brokers, tls, login, clientId, log, signal }: KafkaOptions): Kafka {
  const ended = signal ?? new AbortController().signal;
  setMaxListeners(0, ended); // each connection listens
  return new Kafka({
    // A new client asks another broker first, because kafkajs stays with one that accepts connections and closes them.
    brokers: [...brokers].sort(() => Math.random() - 0.5),
    socketFactory: brokerSockets(
      ended,
      tls ? () => ({ ca: tls.ca?.(), cert: tls.cert?.(), key: tls.key?.() }) : undefined,
    ),
    ...(login && { sasl: saslOf(login) }),
    clientId,
    connectionTimeout: connectTimeoutMs,
    // Connections without an answer end by themselves: kafkajs would go on using them, and look at each ten times a second.
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

/** Why the broker refuses, such as `MESSAGE_TOO_LARGE` (Kafka's "Error Codes"); undefined without an answer. */
export function brokerError(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { type, cause } = error as { type?: unknown; cause?: unknown };
  return typeof type === 'string' ? type : brokerError(cause);
}

/** Tells whether a failure is one of the client, such as a broker that does not answer. */
export const isKafkaError = (error: unknown) => error instanceof kafkajs.KafkaJSError;

/** Disconnects within 2 s. */
export async function disconnect(client: { disconnect(): Promise<void> }): Promise<void> {
  await within(disconnectTimeoutMs, client.disconnect()).catch(() => undefined);
}

/** The outcome of the work, unless the signal is aborted first: kafkajs may leave a promise of a dead connection pending. */
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

/** kafkajs cannot know that callers retry and that consumers recognise duplicates by their event id. */
const unfounded = 'Limiting retries for the idempotent producer may invalidate EoS guarantees';

function writeLog(log: Logger, { level, log: { message, ...rest } }: LogEntry): void {
  const { timestamp: _, logger: __, stack: ___, ...fields } = rest as Record<string, unknown>;
  if (message === unfounded) return;
  // kafkajs logs each failed attempt as an error; the caller decides what it means that all of them failed.
  if (level === logLevel.ERROR || level === logLevel.WARN) log.warn(fields, `Kafka client: ${message}`);
}
