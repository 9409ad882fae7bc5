import { mkdtemp } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect } from 'node:tls';
import { freePort } from '../../../tools/free-port.ts';
import type { GatewayValues } from '../../../tools/local/components/gateway.ts';
import { type Certificate, mountCertificate } from '../../kit/certificates.ts';
import { type Fixture, startUnlimited } from '../_fixture.ts';

export interface TlsFixture extends Fixture {
  httpsPort: number;
  /** Puts another certificate into place, as kubelet does. */
  mount(certificate: Certificate): Promise<void>;
}

export const name = 'store.test';

/** The gateway as with the Secret of a certificate. */
export async function startTls(
  certificate: Certificate,
  { tls, ...values }: Partial<GatewayValues> = {},
): Promise<TlsFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-tls-test-'));
  const httpsPort = await freePort();
  await mountCertificate(folder, certificate);
  const fixture = await startUnlimited(
    { tls: { existingSecret: 'store-tls', port: httpsPort, ...tls }, ...values },
    folder,
  );
  return { ...fixture, httpsPort, mount: (other) => mountCertificate(folder, other) };
}

interface HttpsRequest {
  port: number;
  /** The certificate that is trusted. */
  ca: string;
  method?: string;
  path?: string;
  headers?: Record<string, string>;
}

/** Sends an HTTP/1.1 request on a connection of its own. */
export async function sendHttps({ port, ca, method = 'GET', path = '/', headers = {} }: HttpsRequest) {
  const options = { host: '127.0.0.1', port, ca, servername: name, agent: false, method, path };
  const sent = request({ ...options, headers: { host: name, ...headers } });
  const received = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject);
  });
  sent.end();
  const response = await received;
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

/** An HTTP/2 connection. @param ca without it, any certificate is taken */
export const openHttp2 = (port: number, ca?: string): ClientHttp2Session =>
  connectHttp2(`https://127.0.0.1:${port}`, { ca, servername: name, rejectUnauthorized: ca !== undefined });

/** Returns what a handshake agrees on; rejects where there is no agreement. */
export function handshake(port: number, options: ConnectionOptions) {
  return new Promise<{ alpn: string | false | null; protocol: string | null; fingerprint: string }>(
    (resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, servername: name, ...options });
      socket.on('error', reject);
      socket.on('secureConnect', () => {
        const { fingerprint256 } = socket.getPeerCertificate();
        resolve({ alpn: socket.alpnProtocol, protocol: socket.getProtocol(), fingerprint: fingerprint256 });
        socket.destroy();
      });
    },
  );
}
