import { messageOf } from '../../../services/shared/src/values/errors.ts';
import { fixedPorts } from '../ports.ts';

/** Calls the gateway of the running store, or the one at GATEWAY_URL. @throws Error that says why there is no answer */
export async function askGateway(headers: Record<string, string> = {}): Promise<{ url: string; answer: Response }> {
  // localhost, not 127.0.0.1: for a browser these are two sites, and the cookie is for one of them (SameSite=Lax).
  const url = process.env.GATEWAY_URL || `http://localhost:${fixedPorts().of('gateway')}`;
  const answer = await fetch(`${url}/health-check`, { headers }).catch((error: Error) => error);
  if (answer instanceof Response && answer.ok) return { url, answer };
  const why = answer instanceof Error && url.startsWith('https:') && messageOf(answer.cause ?? answer);
  throw new Error(`The store does not respond at ${url}: ${why || 'start it with make run.'}`);
}
