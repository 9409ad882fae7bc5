import { hostname, userInfo } from 'node:os';
import { createHttpClient } from '@store/shared/http/client';
import { readConfig } from '@store/shared/values/environment';
import { z } from 'zod';
import { fixedPorts } from './local/ports.ts';
import { serviceNamed } from './topology/topology.ts';

const problemOut = z.object({ detail: z.string() });

/** Name in the audit trail: OPERATOR, which those who run the command in a pod pass on, else the user of this machine. */
export const operatorName = () => process.env.OPERATOR?.trim() || `${userInfo().username}@${hostname()}`;

/** Also from a file, which OPERATOR_CREDENTIAL_FILE names. */
const credentialConfig = z.object({ OPERATOR_CREDENTIAL: z.string().optional() });

interface Request<T> {
  /** One of the topology, such as order-worker. */
  service: string;
  method?: 'GET' | 'POST' | 'PUT';
  path: string;
  body?: object;
  schema: z.ZodType<T>;
  timeoutMs?: number;
}

/** Its host name in the cluster where this runs there, else its port on this machine. */
const urlOf = (service: string) =>
  process.env.IN_CLUSTER
    ? `http://${serviceNamed(service).alias}:8080`
    : `http://127.0.0.1:${fixedPorts().of(service)}`;

/**
 * Calls an internal path of a service with the credential of an operator (contract 3.7).
 * @returns undefined for 404
 * @throws Error with the detail of another problem
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
