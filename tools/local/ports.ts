import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort } from '../free-port.ts';
import { lookUp } from '../look-up.ts';
import { topology } from '../topology/topology.ts';

const otherPorts = {
  gateway: 8080,
  'gateway-metrics': 9901,
  postgres: 15432,
  kafka: 19092,
  'kafka-controller': 19093,
};

export const serviceNames = topology.services.map(({ name }) => name);

/** A service has two ports: <service> and <service>-metrics. */
export const portNames = [...Object.keys(otherPorts), ...serviceNames.flatMap((name) => [name, `${name}-metrics`])];

export type Ports = ReturnType<typeof portsOf>;

export const variableOf = (name: string) => `${name.toUpperCase().replaceAll('-', '_')}_PORT`;

const portsOf = (ports: Record<string, number>) => ({ of: (name: string) => lookUp('port', ports, name) });

/** The documented ports, each overridden by its variable: gateway by GATEWAY_PORT, order-worker by ORDER_WORKER_PORT. */
export function fixedPorts(env: Record<string, string | undefined> = process.env): Ports {
  function choose(name: string, otherwise: number): number {
    const value = env[variableOf(name)];
    if (!value) return otherwise;
    const port = Number(value);
    if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
    throw new Error(`${variableOf(name)}=${value} is not a port: a whole number from 1 to 65535 is expected.`);
  }
  const ports: Record<string, number> = {};
  for (const [name, port] of Object.entries(otherPorts)) ports[name] = choose(name, port);
  for (const { name, localPort } of topology.services) {
    const port = choose(name, localPort);
    Object.assign(ports, { [name]: port, [`${name}-metrics`]: choose(`${name}-metrics`, port + 1000) });
  }
  return portsOf(ports);
}

/** The variables that commands need to find a store on other than the documented ports. A service's metrics are 1000 ports higher. */
export const variablesOfCommands = (ports: Ports): string[] => {
  const documented = fixedPorts({});
  return portNames.flatMap((name) => {
    const service = serviceNames.find((one) => name === `${one}-metrics`);
    const otherwise = service === undefined ? documented.of(name) : ports.of(service) + 1000;
    return ports.of(name) === otherwise ? [] : `${variableOf(name)}=${ports.of(name)}`;
  });
};

/**
 * The port variables that are set, but ignored if the store uses any free ports.
 * @throws Error for an invalid port
 */
export function ignoredPortVariables(env: Record<string, string | undefined>): string[] {
  fixedPorts(env);
  return portNames.map(variableOf).filter((name) => env[name]);
}

export async function freePorts(): Promise<Ports> {
  const found: Record<string, number> = {};
  for (const name of portNames) found[name] = await freePort();
  return portsOf(found);
}

/** @throws Error that names every port in use, and the variable that changes it */
export async function checkPorts(ports: Ports, names: string[]): Promise<void> {
  const problems: string[] = [];
  for (const [index, name] of names.entries()) {
    const port = ports.of(name);
    const other = names.slice(0, index).find((one) => ports.of(one) === port);
    if (other) problems.push(`Port ${port} is set for both ${other} and ${name}: change ${variableOf(name)}.`);
    else if (!(await isFree(port)))
      problems.push(`Port ${port} (${name}) is in use: stop what listens there, or set ${variableOf(name)}.`);
  }
  if (problems.length === 0) return;
  throw new Error([...problems, 'To run this store beside another, on free ports: make run PORTS=free'].join('\n'));
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const listens = await once(server, 'listening').catch(() => undefined);
  if (listens) await once(server.close(), 'close');
  return listens !== undefined;
}
