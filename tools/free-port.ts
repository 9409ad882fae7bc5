import getPort, { portNumbers } from 'get-port';

/**
 * A TCP port that is free on 127.0.0.1. It is below those that the kernel gives to outgoing connections, because it has to
 * stay free until somebody listens there.
 */
export function freePort(): Promise<number> {
  const first = 20_000 + Math.floor(Math.random() * 11_000);
  return getPort({ host: '127.0.0.1', port: portNumbers(first, first + 999) });
}
