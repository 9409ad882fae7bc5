import { hostname, userInfo } from 'node:os';
import { createHttpClient } from '@store/shared/http/client';
import { readConfig } from '@store/shared/values/environment';
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
  const credential = readConfig(credentialConfig, process.env).OPERATOR_CREDENTIAL?.split(',')[0];
  const client = createHttpClient({ service, baseUrl: urlOf(service), timeoutMs, credential });
  const answer = await client.call(method, path, { body, operator: operatorName() });
  if (answer.status === 404) return undefined;
  if (answer.status >= 400) throw new Error(problemOut.parse(answer.body).detail);
  return schema.parse(answer.body);
}
