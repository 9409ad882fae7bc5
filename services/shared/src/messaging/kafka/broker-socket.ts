import { connect, isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory, ISocketFactoryArgs } from 'kafkajs';

/**
 * Time for which a request may wait for its answer, in seconds in which this process runs: one that was suspended has not waited. Longer
 * than a broker holds one back on purpose: for the session time-out of a group at most (subscription.ts).
 */
export const answerTimeoutSeconds = 15;
/** Kafka's own limit for a request. Text, such as HTTP, and TLS begin with a larger number. */
const longestFrameBytes = 100 * 1024 * 1024;
const lengthBytes = 4;

type TlsOptions = () => Record<'ca' | 'cert' | 'key', string | undefined>;

/** The open connections of this process. */
const connections = new Set<{ address: string; quietSeconds(): number; fail(error: Error): void }>();

/**
 * Makes the sockets of one Kafka client. kafkajs 2.2.4 keeps received bytes over a reconnect (issues 309 and 919), takes
 * a connection that never answered for a ready one, and waits forever for the answer to a login. Here it gets whole
 * answers only, and a connection that brings anything else, or leaves a request unanswered, ends. So do the others of
 * this process to the same broker that have been quiet as long: they would make their users wait once more.
 * @param signal ends all connections of the client, and prevents further ones
 * @param tls asked for each connection; without it, none is encrypted
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

/** @returns a socket that never connects: kafkajs hears of the real one by its events, and reaches that by its methods */
function openSocket({ host, port, onConnect }: ISocketFactoryArgs, signal: AbortSignal, tls?: TlsOptions): Socket {
  const emitter = new Socket();
  const takeAnswers = answerReader();
  let isOpen = true;
  /** A broker answers the requests of a connection one after the other. */
  let unanswered = 0;
  let waitedSeconds = 0;
  let quietSeconds = 0;
  const connection = { address: `${host}:${port}`, quietSeconds: () => quietSeconds, fail };

  const connected = () => isOpen && onConnect();
  const name = isIP(host) === 0 ? { servername: host } : {};
  const socket = tls ? connectTls({ host, port, ...name, ...tls() }, connected) : connect({ host, port }, connected);
  socket.setKeepAlive(true, answerTimeoutSeconds * 1_000);

  /** Afterwards kafkajs hears nothing more of it. @returns false if it was closed before */
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
    waitedSeconds = 0; // a large answer may take its time
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
    /** Ends the connection; what was written is still sent. */
    end() {
      if (!close()) return;
      if (socket.connecting) socket.destroy();
      else socket.destroySoon();
    },
    unref: () => void socket.unref(),
  });
}

/**
 * Collects bytes until they hold whole answers, each after its length in 32 bits (Kafka, "Protocol Primitive Types").
 * @returns takes bytes and returns the answers that they complete, and their number; throws at an implausible length
 */
export function answerReader() {
  let chunks: Buffer[] = [];
  let bufferedBytes = 0;
  let neededBytes = lengthBytes;

  return (bytes: Buffer): { answers: Buffer; count: number } => {
    chunks.push(bytes);
    bufferedBytes += bytes.length;
    if (bufferedBytes < neededBytes) return { answers: bytes.subarray(0, 0), count: 0 };
    // Copied once per answer, however many chunks it comes in, apart from its first bytes.
    const buffer = chunks.length === 1 ? bytes : Buffer.concat(chunks, bufferedBytes);
    let end = 0;
    let count = 0;
    neededBytes = lengthBytes;
    while (buffer.length - end >= lengthBytes) {
      const length = buffer.readInt32BE(end);
      if (length < 0 || length > longestFrameBytes) throw new Error('What answers is not a Kafka broker');
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
