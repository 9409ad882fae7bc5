import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { type Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect } from 'node:tls';

/** The host name of the certificates. */
export const name = 'store.test';

interface HttpsRequest {
  /** The trusted certificate; without it, any certificate is accepted. */
  ca?: string;
  /** Default: a new connection. */
  agent?: Agent;
  method?: string;
  path?: string;
  headers?: Record<string, string>;
}

/** Sends an HTTP/1.1 request. */
export async function sendHttps(port: number, { ca, agent, headers, ...rest }: HttpsRequest) {
  const trust = { ca, servername: name, rejectUnauthorized: ca !== undefined };
  const options = { host: '127.0.0.1', port, agent: agent ?? false, ...trust, ...rest };
  const [response] = await once(request({ ...options, headers: { host: name, ...headers } }).end(), 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

/** An HTTP/2 connection. @param ca without it, any certificate is accepted */
export const openHttp2 = (port: number, ca?: string): ClientHttp2Session =>
  connectHttp2(`https://127.0.0.1:${port}`, { ca, servername: name, rejectUnauthorized: ca !== undefined });

/** Returns the parameters that a handshake agrees on; rejects if there is no agreement. */
export async function handshake(port: number, options: ConnectionOptions) {
  const socket = connect({ host: '127.0.0.1', port, servername: name, ...options });
  try {
    await once(socket, 'secureConnect');
    const { fingerprint256: fingerprint } = socket.getPeerCertificate();
    return { alpn: socket.alpnProtocol, protocol: socket.getProtocol(), fingerprint };
  } finally {
    socket.destroy();
  }
}
