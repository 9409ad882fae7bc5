import { z } from 'zod';
import { messageOf } from '../../values/errors.ts';

const tokenTimeoutMs = 10_000;

interface TokenOptions {
  url: string;
  clientId: string;
  /** Asked for each token, because it changes while a process runs. */
  clientSecret: () => string;
  scope?: string | undefined;
}

const answer = z.object({ access_token: z.string().min(1), expires_in: z.number().positive().optional() });

/**
 * Asks an authorization server for tokens by client credentials (RFC 6749, 4.4, with the client by HTTP Basic, 2.3.1).
 * @returns the token, which is kept until a fifth of its time is left; without a time, it is asked for again
 * @throws KafkaJSConnectionError as for a broker that does not answer, without the secret
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
      // Loaded by those who talk to Kafka; others read the configuration, too.
      const { default: kafkajs } = await import('kafkajs');
      throw new kafkajs.KafkaJSConnectionError(`No token of ${broker}: ${messageOf(cause)}`, { broker });
    });
  };
}
