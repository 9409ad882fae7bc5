import getPort, { portNumbers } from 'get-port';

/** Jest's workers, and the processes that they start, choose from ranges of their own, so that two never choose the same port. */
const ranges = 64;
const first = 20_000;
const size = 180;

/** Ports that the process which starts the workers has given, where somebody listens later: never given again. */
const reserved = new Set<number>();

/**
 * A TCP port that is free on 127.0.0.1. It is below those that the kernel gives to outgoing connections, because it has to
 * stay free until somebody listens there.
 */
export async function freePort(): Promise<number> {
  const worker = process.env.JEST_WORKER_ID;
  const start = first + (Number(worker ?? 0) % ranges) * size;
  const port = start + Math.floor(Math.random() * size);
  const wanted = [...portNumbers(port, start + size - 1), ...portNumbers(start, port)];
  const found = await getPort({ host: '127.0.0.1', port: wanted, exclude: reserved });
  if (worker === undefined) reserved.add(found);
  return found;
}
