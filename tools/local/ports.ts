import { createServer } from 'node:net';
import { execa } from 'execa';
import getPort, { portNumbers } from 'get-port';

/** Services by name, with their port of the local run; metrics are served 1000 above. */
export const servicePorts = {
  auth: 8081,
  account: 8082,
  product: 8083,
  order: 8084,
  inventory: 8085,
  payment: 8086,
  notification: 8087,
  analytics: 8088,
  invoice: 8089,
  'order-worker': 8090,
  status: 8000,
} as const;

const otherPorts = {
  gateway: 8080,
  'gateway-metrics': 9901,
  'gateway-admin': 9902,
  postgres: 15432,
  kafka: 19092,
  'kafka-controller': 19093,
} as const;

export type ServiceName = keyof typeof servicePorts;
export const serviceNames = Object.keys(servicePorts) as ServiceName[];

/** Port by name; the metrics port of a service is <service>-metrics. */
export type Ports = Record<ServiceName | `${ServiceName}-metrics` | keyof typeof otherPorts, number>;
export type PortName = keyof Ports;

const portNames = [
  ...Object.keys(otherPorts),
  ...serviceNames,
  ...serviceNames.map((name) => `${name}-metrics`),
] as PortName[];

const variableOf = (name: string) => `${name.toUpperCase().replaceAll('-', '_')}_PORT`;

function portsBy(choose: (name: PortName) => number): Ports {
  return Object.fromEntries(portNames.map((name) => [name, choose(name)])) as Ports;
}

/** The documented ports, each overridden by its variable: gateway by GATEWAY_PORT, order-worker by ORDER_WORKER_PORT. */
export function fixedPorts(env: Record<string, string | undefined> = process.env): Ports {
  function choose(name: string): number {
    const value = env[variableOf(name)];
    if (value) {
      const port = Number(value);
      if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
      throw new Error(`${variableOf(name)}=${value} is no port: give a whole number from 1 to 65535.`);
    }
    if (name in otherPorts) return otherPorts[name as keyof typeof otherPorts];
    if (name in servicePorts) return servicePorts[name as ServiceName];
    return choose(name.replace(/-metrics$/, '')) + 1000;
  }
  return portsBy(choose);
}

/** Ports that are free now, below those that the kernel gives to outgoing connections, for they have to stay free until used. */
export async function freePorts(): Promise<Ports> {
  const first = 20_000 + Math.floor(Math.random() * 11_000);
  const found = new Map<string, number>();
  for (const name of portNames) {
    found.set(name, await getPort({ host: '127.0.0.1', port: portNumbers(first, first + 999) }));
  }
  return portsBy((name) => found.get(name) ?? 0);
}

/** Throws an error that names every port that is taken, the variable that changes it and, where it can be seen, its holder. */
export async function checkPorts(ports: Ports, names: PortName[]): Promise<void> {
  const seen = new Map<number, string>();
  const problems: string[] = [];
  for (const name of names) {
    const port = ports[name];
    const twin = seen.get(port);
    seen.set(port, name);
    if (twin) problems.push(`Port ${port} is meant for both ${twin} and ${name}: change ${variableOf(name)}.`);
    else if (!(await isFree(port))) {
      problems.push(
        `Port ${port} (${name}) is taken${await holderOf(port)}: end that, or set ${variableOf(name)} to another.`,
      );
    }
  }
  if (problems.length) throw new Error(problems.join('\n'));
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

async function holderOf(port: number): Promise<string> {
  const { stdout = '' } = await execa('ss', ['-Hltnp', `sport = :${port}`], { reject: false });
  const [, command, pid] = stdout.match(/\("([^"]+)",pid=(\d+)/) ?? [];
  return pid ? ` by ${command} (pid ${pid})` : '';
}
