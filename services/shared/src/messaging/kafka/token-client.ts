import { z } from 'zod';
import { messageOf } from '../../values/errors.ts';

const tokenTimeoutMs = 10_000;

interface TokenOptions {
  url: string;
  clientId: string;
  /** Called for each token, because the secret changes while a process runs. */
  clientSecret: () => string;
  scope?: string | undefined;
}

const answer = z.object({ access_token: z.string().min(1), expires_in: z.number().positive().optional() });

/**
 * Requests tokens from an authorization server by client credentials (RFC 6749, 4.4), with HTTP Basic for the client (2.3.1).
 * @returns a function that returns a token. It keeps a token until a fifth of its lifetime is left; without a lifetime it requests
 *   one each time. It throws KafkaJSConnectionError, as for a broker that does not answer, without the secret
 */
export function tokenSource({ url, clientId, clientSecret, scope }: TokenOptions): () => Promise<string> {
  let kept: { value: string; until: number } | undefined;
  let asking: Promise<string> | undefined;

  async function ask(): Promise<string> {
    const basic = [clientId, clientSecret()].map(encodeURIComponent).join(':');
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(basic).toString('base64')}`, accept: 'application/json' },
      body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) }),
      redirect: 'error',
      signal: AbortSignal.timeout(tokenTimeoutMs),
    });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    const { access_token: value, expires_in: seconds = 0 } = answer.parse(await response.json());
    kept = { value, until: Date.now() + seconds * 800 };
    return value;
  }

  return async () => {
    if (kept !== undefined && Date.now() < kept.until) return kept.value;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking.catch(async (cause) => {
      const broker = new URL(url).host;
      // Loaded only when it is needed, because processes without Kafka also import this module for their configuration.
      const { default: kafkajs } = await import('kafkajs');
      throw new kafkajs.KafkaJSConnectionError(`No token from ${broker}: ${messageOf(cause)}`, { broker });
    });
  };
}
