import getPort, { portNumbers } from 'get-port';

/** Jest's workers, and the processes that they start, choose from ranges of their own, so that two never choose the same port. */
const ranges = 64;
const first = 20_000;
const size = 180;

/**
 * A TCP port that is free on 127.0.0.1. It is below those that the kernel gives to outgoing connections, because it has to
 * stay free until somebody listens there.
 */
export function freePort(): Promise<number> {
  const start = first + (Number(process.env.JEST_WORKER_ID ?? 0) % ranges) * size;
  const port = start + Math.floor(Math.random() * size);
  return getPort({ host: '127.0.0.1', port: [...portNumbers(port, start + size - 1), ...portNumbers(start, port)] });
}
