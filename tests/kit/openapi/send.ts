import { type IncomingHttpHeaders, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import type { Sent } from './fuzz-mutations.ts';

/** Uses node:http, because other clients would refuse malformed input themselves. */
export function send(
  address: string,
  { body, ...options }: Sent,
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    // Node sends no Content-Length for the body of a DELETE by itself.
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const headers = { ...length, ...options.headers };
    const sent = request(address, { ...options, headers }, (response) => {
      textOf(response).then(
        (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        reject,
      );
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close an idle connection at the moment it is used again.
      if (sent.reusedSocket && error.code === 'ECONNRESET') send(address, { body, ...options }).then(resolve, reject);
      else reject(error);
    });
    sent.end(body);
  });
}
