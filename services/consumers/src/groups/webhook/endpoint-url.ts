import { invalidFields } from '@store/shared/values/errors';
import { isForbiddenLiteral, type Range } from './addresses.ts';

export interface UrlRules {
  /** False for development: then any address, port and `http:` are allowed. */
  publicOnly: boolean;
  /** Ports that a URL may have. */
  ports: readonly number[];
  /** Public addresses that are the installation's own. */
  own: readonly Range[];
}

const refuse = (message: string) => invalidFields({ path: 'body.url', message });

/**
 * Checks the address of an endpoint (contract 4.22). Names are judged when they are resolved for a connection.
 * @returns it as it is stored
 * @throws DomainError invalid
 */
export function endpointUrl(text: string, { publicOnly, ports, own }: UrlRules): string {
  if (!URL.canParse(text)) throw refuse('must be a URL');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw refuse('must have no user and no password');
  if (url.hash !== '') throw refuse('must have no fragment');
  if (!publicOnly) {
    if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refuse('must begin with https:// or http://');
    return url.href;
  }
  if (url.protocol !== 'https:') throw refuse('must begin with https://');
  const port = url.port === '' ? 443 : Number(url.port);
  if (!ports.includes(port)) throw refuse(`must have the port ${ports.join(' or ')}`);
  if (isForbiddenLiteral(url.hostname, own)) throw refuse('must have a public address');
  return url.href;
}
