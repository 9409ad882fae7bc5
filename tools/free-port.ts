import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import getPort, { portNumbers } from 'get-port';

/** Below the kernel's ports for outgoing connections, because a port has to stay free until somebody listens there. */
const first = 20_000;
const last = 32_000;

/**
 * Finds a TCP port that is free on 127.0.0.1 and reserves it until this process or thread ends. Two test runs, or two stores on
 * one machine, never get the same port.
 *
 * @throws if all ports are taken
 */
export async function freePort(): Promise<number> {
  const start = first + Math.floor(Math.random() * (last - first));
  for (const port of [...portNumbers(start, last), ...portNumbers(first, start)]) {
    // Reserved before it is looked at, because looking means to listen there for a moment, and its owner would find it in use.
    const reservation = await reserve(port);
    if (reservation === undefined) continue;
    if (await isFree(port)) return port;
    reservation.close();
  }
  throw new Error(`There is no free port from ${first} to ${last} on 127.0.0.1.`);
}

const isFree = async (port: number) => (await getPort({ host: '127.0.0.1', port })) === port;

/** The UDP port of the same number is the lock: nothing else here uses it, and the kernel frees it when its holder dies. */
async function reserve(port: number): Promise<Socket | undefined> {
  const lock = createSocket('udp4').unref();
  try {
    lock.bind({ address: '127.0.0.1', port, exclusive: true });
    await once(lock, 'listening');
    return lock;
  } catch {
    lock.close();
    return undefined;
  }
}
