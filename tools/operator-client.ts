import { hostname, userInfo } from 'node:os';
import type { Readable } from 'node:stream';
import { createHttpClient } from '@store/shared/http/client';
import { readConfig } from '@store/shared/values/environment';
import { messageOf } from '@store/shared/values/errors';
import { z } from 'zod';
import { fixedPorts } from './local/ports.ts';
import { serviceNamed } from './topology/topology.ts';

const problemOut = z.object({ detail: z.string() });

/** Name in the audit trail: OPERATOR, which people set when they run a command in a pod, else the user of this machine. */
export const operatorName = () => process.env.OPERATOR?.trim() || `${userInfo().username}@${hostname()}`;

/** OPERATOR_CREDENTIAL_FILE may name a file with it instead. */
const credentialConfig = z.object({ OPERATOR_CREDENTIAL: z.string().optional() });

interface Request<T> {
  /** Its name in the topology, such as order-worker. */
  service: string;
  method?: 'GET' | 'POST' | 'PUT';
  path: string;
  body?: object;
  schema: z.ZodType<T>;
  timeoutMs?: number;
}

const ownCredential = () => readConfig(credentialConfig, process.env).OPERATOR_CREDENTIAL?.split(',')[0];

/** By its host name in the cluster, or by its port on this machine. */
const urlOf = (service: string) =>
  process.env.IN_CLUSTER
    ? `http://${serviceNamed(service).alias}:8080`
    : `http://127.0.0.1:${fixedPorts().of(service)}`;

/**
 * Calls an internal path of a service with the credential of an operator (contract 3.7).
 * @returns undefined for 404
 * @throws Error with the problem's detail for any other failure
 */
export async function callService<T>(request: Request<T>): Promise<T | undefined> {
  const { service, method = 'GET', path, body, schema, timeoutMs = 10_000 } = request;
  const credential = ownCredential();
  const client = createHttpClient({ service, baseUrl: urlOf(service), timeoutMs, credential });
  const answer = await client.call(method, path, { body, operator: operatorName() });
  if (answer.status === 404) return undefined;
  if (answer.status >= 400) throw new Error(problemOut.parse(answer.body).detail);
  return schema.parse(answer.body);
}

/**
 * Calls an internal path whose body or answer may exceed memory: both are streams.
 * @throws Error with the problem's detail for a failure
 */
export async function streamService(service: string, path: string, lines?: Readable): Promise<Response> {
  const credential = ownCredential();
  const url = `${urlOf(service)}${path}`;
  const answer = await fetch(url, {
    headers: {
      'operator-name': encodeURIComponent(operatorName()),
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      ...(lines && { 'content-type': 'application/x-ndjson' }),
    },
    ...(lines && { method: 'POST', body: lines, duplex: 'half' }),
  } as RequestInit).catch((error: Error) => {
    throw new Error(`${service} cannot be reached at ${url}: ${messageOf(error.cause ?? error)}`);
  });
  if (answer.ok) return answer;
  const problem = problemOut.safeParse(await answer.json().catch(() => undefined));
  throw new Error(problem.data?.detail ?? `${service} answered ${answer.status}.`);
}
