import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';

export interface Answer {
  status: number;
  /** Names in lower case; repeated headers are joined by a comma. */
  headers: Record<string, string>;
  body: string;
}

/** The text of an HTTP/1.1 request; `headers` are whole lines. */
export const http = (firstLine: string, headers: string[] = [], body = '') =>
  [`${firstLine} HTTP/1.1`, 'Host: store.test', ...headers, '', body].join('\r\n');

/** Writes exactly these bytes and reads one response. */
export async function sendRaw(port: number, request: string | Buffer): Promise<Answer> {
  const bytes = Buffer.isBuffer(request) ? request : Buffer.from(request, 'latin1');
  const isHead = bytes.subarray(0, 5).toString() === 'HEAD ';
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined); // an early response to a long request resets the connection; it still counts
  socket.write(bytes);
  let received = '';
  try {
    for await (const chunk of socket) {
      received += chunk.toString('latin1');
      const answer = parseAnswer(received, isHead);
      if (answer) return answer;
    }
  } catch {
    // what arrived before the error decides
  } finally {
    socket.destroy();
  }
  throw new Error(`the connection was closed after ${JSON.stringify(received)}`);
}

function parseAnswer(received: string, isHead: boolean): Answer | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [firstLine = '', ...lines] = received.slice(0, end).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = name in headers ? `${headers[name]},${value}` : value;
  }
  const status = Number(firstLine.split(' ')[1]);
  const rest = received.slice(end + 4);
  if (status === 100) return parseAnswer(rest, isHead);
  if (isHead || status === 204) return { status, headers, body: '' };
  if (headers['transfer-encoding'] === 'chunked') {
    return rest.endsWith('0\r\n\r\n') ? { status, headers, body: rest } : undefined;
  }
  const length = Number(headers['content-length'] ?? 0);
  return rest.length < length ? undefined : { status, headers, body: rest.slice(0, length) };
}

/**
 * Sends a request over HTTP/2, to a port without TLS or on a session that it closes afterwards. An array sends a header several times.
 * Status 0 means that the stream was reset.
 */
export async function sendHttp2(
  to: number | ClientHttp2Session,
  headers: Record<string, string | string[]>,
  { body, trailers }: { body?: string; trailers?: Record<string, string> } = {},
): Promise<Answer> {
  const session = typeof to === 'number' ? connectHttp2(`http://127.0.0.1:${to}`) : to;
  session.on('error', () => undefined);
  try {
    const stream = session.request(headers, { endStream: body === undefined, waitForTrailers: trailers !== undefined });
    if (trailers) stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    if (body !== undefined) stream.end(body);
    const answer: Answer = { status: 0, headers: {}, body: '' };
    stream.on('response', (received) => {
      answer.status = received[':status'] ?? 0;
      for (const [name, value] of Object.entries(received)) answer.headers[name] = String(value);
    });
    stream.on('data', (chunk) => {
      answer.body += chunk;
    });
    stream.on('error', () => undefined);
    await new Promise((resolve) => stream.once('close', resolve));
    return answer;
  } finally {
    session.destroy();
  }
}
