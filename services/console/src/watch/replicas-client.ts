import { lookup } from 'node:dns/promises';
import { request } from 'undici';
import { z } from 'zod';
import { type Sample, watchedMetrics } from './sample.ts';
import type { ReplicaState } from './schemas.ts';

const healthOut = z.object({ status: z.enum(['UP', 'DOWN']), waitingFor: z.array(z.string()).default([]) });
const timeoutMs = 3_000;
const watched = new Set(watchedMetrics);
const sample = /^(\w+)(?:\{(.*)\})? (\S+)$/;

/** A process of a service, as it answers now. */
export interface Replica extends Pick<ReplicaState, 'address' | 'state' | 'waitingFor'> {
  samples: Sample[];
}

/** The processes of all services. */
export type Seen = (Replica & { service: string })[];

/**
 * Asks every replica of a service. In a cluster the host name of the metrics resolves to the addresses of all pods, ready or not.
 * @param serviceUrl its port serves /health/ready
 */
export async function askReplicas(serviceUrl: string, metricsUrl: string): Promise<Replica[]> {
  const metrics = new URL(metricsUrl);
  const servicePort = new URL(serviceUrl).port;
  try {
    const found = await lookup(metrics.hostname.replace(/^\[|\]$/g, ''), { all: true, verbatim: false });
    // In a dual-stack cluster each pod has an address of both families.
    const one = found.filter(({ family }) => family === found[0]?.family);
    const hosts = one.map(({ address, family }) => (family === 6 ? `[${address}]` : address));
    return await Promise.all(hosts.map((host) => askReplica(host, servicePort, metrics.port)));
  } catch (error) {
    return [{ address: metrics.hostname, state: 'GONE', waitingFor: [reasonOf(error)], samples: [] }];
  }
}

async function askReplica(host: string, servicePort: string, metricsPort: string): Promise<Replica> {
  const address = `${host}:${servicePort}`;
  const [health, samples] = await Promise.all([healthOf(address), samplesOf(`${host}:${metricsPort}`)]);
  return { address, samples, ...health };
}

async function healthOf(address: string): Promise<Pick<Replica, 'state' | 'waitingFor'>> {
  try {
    const { body } = await request(`http://${address}/health/ready`, { signal: AbortSignal.timeout(timeoutMs) });
    const { status, waitingFor } = healthOut.parse(await body.json());
    return { state: status, waitingFor };
  } catch (error) {
    return { state: 'GONE', waitingFor: [reasonOf(error)] };
  }
}

/** Returns nothing if the process does not answer: its health says so. */
async function samplesOf(address: string): Promise<Sample[]> {
  try {
    const { body } = await request(`http://${address}/metrics`, { signal: AbortSignal.timeout(timeoutMs) });
    return samplesIn(await body.text());
  } catch {
    return [];
  }
}

/** Parses the watched metrics from Prometheus' text format. */
export function samplesIn(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name = '', labels = '', value] = sample.exec(line) ?? [];
    if (!watched.has(name)) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** A time-out needs its own case: the `code` of a DOMException is a number. */
function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name: string };
  if (name === 'TimeoutError') return `no answer within ${timeoutMs / 1_000} s`;
  return typeof code === 'string' ? code : name;
}
