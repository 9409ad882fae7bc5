import { connect, isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory, ISocketFactoryArgs } from 'kafkajs';

/**
 * How long a request may wait for its answer, counted in seconds during which this process runs; a suspended process does not count.
 * Longer than a broker delays an answer on purpose, which is at most the session time-out of a group (subscription.ts).
 */
export const answerTimeoutSeconds = 15;
/** Kafka's own limit for a request. Text, such as HTTP, and TLS would be read as a larger number. */
const longestFrameBytes = 100 * 1024 * 1024;
const lengthBytes = 4;

type TlsOptions = () => Record<'ca' | 'cert' | 'key', string | undefined>;

/** The open connections of this process. */
const connections = new Set<{ address: string; quietSeconds(): number; fail(error: Error): void }>();

/**
 * Makes the sockets of one Kafka client. kafkajs 2.2.4 keeps received bytes over a reconnect (issues 309 and 919), treats
 * a connection that never answered as ready, and waits forever for the answer to a login. These sockets pass on only whole
 * answers. A connection closes if it receives anything else or if a request stays unanswered. Then all connections of this
 * process to the same broker that have been quiet as long also close, because their users would have to wait again.
 * @param signal closes all connections of the client, and prevents new ones
 * @param tls called for each connection; without it, connections are not encrypted
 */
export const brokerSockets =
  (signal: AbortSignal, tls?: TlsOptions): ISocketFactory =>
  (target) => {
    signal.throwIfAborted();
    return openSocket(target, signal, tls);
  };

function onSilence(address: string): void {
  for (const one of [...connections]) {
    const isQuiet = one.quietSeconds() >= answerTimeoutSeconds - 1;
    if (one.address === address && isQuiet) one.fail(new Error('The broker does not answer'));
  }
}

/** @returns a socket that never connects: it forwards the real socket's events to kafkajs, and kafkajs's calls to the real socket */
function openSocket({ host, port, onConnect }: ISocketFactoryArgs, signal: AbortSignal, tls?: TlsOptions): Socket {
  const emitter = new Socket();
  const takeAnswers = answerReader();
  let isOpen = true;
  /** A broker answers the requests of a connection one after another. */
  let unanswered = 0;
  let waitedSeconds = 0;
  let quietSeconds = 0;
  const connection = { address: `${host}:${port}`, quietSeconds: () => quietSeconds, fail };

  const connected = () => isOpen && onConnect();
  const name = isIP(host) === 0 ? { servername: host } : {};
  const socket = tls ? connectTls({ host, port, ...name, ...tls() }, connected) : connect({ host, port }, connected);
  socket.setKeepAlive(true, answerTimeoutSeconds * 1_000);

  /** Afterwards kafkajs gets no more events. @returns false if the connection was already closed */
  function close(): boolean {
    if (!isOpen) return false;
    isOpen = false;
    clearInterval(ticking);
    connections.delete(connection);
    signal.removeEventListener('abort', abort);
    return true;
  }
  function fail(error: Error): void {
    if (!close()) return;
    socket.destroy();
    // kafkajs rejects a connection and its requests on `error`, but a login only on `end`.
    emitter.emit('error', error);
    emitter.emit('end');
  }
  const abort = () => fail(new Error('The client was closed'));
  function receive(bytes: Buffer): void {
    if (!isOpen) return;
    quietSeconds = 0;
    waitedSeconds = 0; // a large answer may take long
    try {
      const { answers, count } = takeAnswers(bytes);
      unanswered -= count;
      if (count > 0) emitter.emit('data', answers);
    } catch (error) {
      fail(error as Error);
    }
  }
  const ticking = setInterval(() => {
    quietSeconds += 1;
    waitedSeconds = unanswered > 0 ? waitedSeconds + 1 : 0;
    if (waitedSeconds > answerTimeoutSeconds) onSilence(connection.address);
  }, 1_000).unref();

  connections.add(connection);
  signal.addEventListener('abort', abort, { once: true });
  socket.on('data', receive);
  socket.on('error', fail);
  for (const event of ['end', 'close']) socket.on(event, () => close() && emitter.emit('end'));
  return Object.assign(emitter, {
    write(request: Buffer) {
      if (!isOpen) return;
      if (unanswered === 0) waitedSeconds = 0;
      unanswered += 1;
      socket.write(request);
    },
    /** Closes the connection after sending what was written. */
    end() {
      if (!close()) return;
      if (socket.connecting) socket.destroy();
      else socket.destroySoon();
    },
    unref: () => void socket.unref(),
  });
}

/**
 * Collects bytes until they contain whole answers, each preceded by its length in 32 bits (Kafka, "Protocol Primitive Types").
 * @returns a function that takes bytes and returns the completed answers and their number; it throws on an implausible length
 */
export function answerReader() {
  let chunks: Buffer[] = [];
  let bufferedBytes = 0;
  let neededBytes = lengthBytes;

  return (bytes: Buffer): { answers: Buffer; count: number } => {
    chunks.push(bytes);
    bufferedBytes += bytes.length;
    if (bufferedBytes < neededBytes) return { answers: bytes.subarray(0, 0), count: 0 };
    // Apart from its first bytes, an answer is copied only once, even if it arrives in many chunks.
    const buffer = chunks.length === 1 ? bytes : Buffer.concat(chunks, bufferedBytes);
    let end = 0;
    let count = 0;
    neededBytes = lengthBytes;
    while (buffer.length - end >= lengthBytes) {
      const length = buffer.readInt32BE(end);
      if (length < 0 || length > longestFrameBytes) throw new Error('The server is not a Kafka broker');
      neededBytes = lengthBytes + length;
      if (buffer.length - end < neededBytes) break;
      end += neededBytes;
      count += 1;
      neededBytes = lengthBytes;
    }
    const rest = buffer.subarray(end);
    chunks = rest.length > 0 ? [rest] : [];
    bufferedBytes = rest.length;
    return { answers: buffer.subarray(0, end), count };
  };
}
