import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** Asks Envoy's admin interface. */
export async function askAdmin(socketPath: string, method: string, path: string) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ socketPath, method, path }, resolve).on('error', reject).end();
  });
  return { status: response.statusCode, body: await text(response) };
}
