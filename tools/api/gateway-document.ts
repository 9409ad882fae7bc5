import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { bundleFromString, createConfig } from '@redocly/openapi-core';
import { parse } from 'yaml';
import { root } from '../paths.ts';
import type { Topology } from '../topology/topology.ts';
import type { BuiltService, Operation } from './build-services.ts';

type Json = Record<string, unknown>;

export interface GatewayDocument {
  openapi: string;
  info: Json;
  servers: Json[];
  tags: Json[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Json; responses: Operation['responses']; securitySchemes: Json };
}

const fixed: GatewayDocument = parse(readFileSync(join(root, 'tools/api/gateway.yaml'), 'utf8'));
const { responses, securitySchemes } = fixed.components;

/**
 * The OpenAPI 3.1 document of everything that the gateway routes, from the documents of the services: their operations with the
 * cookie instead of the header that the gateway sets, and the gateway's own answers.
 * @throws Error if two services give a name to different things
 */
export async function gatewayDocument(services: BuiltService[], { routes }: Topology): Promise<GatewayDocument> {
  const { open, version } = readChart();
  const schemas: Json = {};
  const paths = { ...fixed.paths };
  const serviceOf = (path: string) => {
    const [longest] = Object.keys(routes)
      .filter((prefix) => path === prefix || path.startsWith(`${prefix}/`))
      .sort((one, other) => other.length - one.length);
    return longest && routes[longest]?.name;
  };
  for (const { name, paths: own, schemas: ownSchemas } of services) {
    const routed = Object.entries(own).filter(([path]) => serviceOf(path) === name);
    if (routed.length === 0) continue;
    for (const [schema, definition] of Object.entries(ownSchemas)) {
      if (schemas[schema] !== undefined && !isDeepStrictEqual(schemas[schema], definition))
        throw new Error(`Two services define the schema ${schema} differently: ${name} is one of them.`);
      schemas[schema] = definition;
    }
    for (const [path, operations] of routed) {
      paths[path] = { ...operations };
      for (const [method, own] of Object.entries(operations))
        paths[path][method] = throughGateway(own, open(method, path));
    }
  }
  const names = fixed.tags.map(({ name }) => name);
  const used = Object.values(paths).flatMap((path) => Object.values(path).flatMap(({ tags }) => tags));
  const others = new Set(used.filter((name) => !names.includes(name)));
  const inOrder = <T>(byName: Record<string, T>) =>
    Object.fromEntries(Object.entries(byName).sort(([one], [other]) => (one < other ? -1 : 1)));
  const document: GatewayDocument = {
    ...fixed,
    info: { ...fixed.info, version },
    tags: [...fixed.tags, ...[...others].map((name) => ({ name, description: `Resources of the service ${name}.` }))],
    paths: inOrder(paths),
    components: { schemas: inOrder(schemas), responses, securitySchemes },
  };
  const config = await createConfig({});
  const source = JSON.stringify(document);
  return (await bundleFromString({ source, config, removeUnusedComponents: true })).bundle.parsed as GatewayDocument;
}

const shared = (name: string) => ({ $ref: `#/components/responses/${name}` });

/** A session may call every operation, an API key those without an account, or with one of the scopes that the key has. */
function securityOf(own: Operation['security']): Operation['security'] {
  if (own === undefined) return [{ token: [] }, { apiKey: [] }];
  const scopes = own.flatMap(({ bearer = [] }) => bearer);
  return [{ token: [] }, ...scopes.map((scope) => ({ apiKey: [scope] }))];
}

function throughGateway({ security, ...operation }: Operation, isOpen: boolean): Operation {
  const own429 = operation.responses[429];
  // The gateway's own 429 has all headers (contract 2.5).
  const headers = { ...own429?.headers, ...responses.TooManyRequests?.headers };
  return {
    ...operation,
    parameters: operation.parameters?.filter(({ name }) => name !== 'id-account'),
    security: isOpen ? [] : securityOf(security),
    responses: {
      429: shared('TooManyRequests'),
      ...operation.responses,
      ...(own429 && { 429: { ...own429, headers } }),
      ...(isOpen ? {} : { 401: shared('Unauthenticated') }),
      503: shared('Unavailable'),
      504: shared('TimedOut'),
      default: shared('Unexpected'),
    },
  };
}

/** The open list and the version of the chart. */
function readChart() {
  const read = (file: string) => parse(readFileSync(join(root, 'charts/store', file), 'utf8'), { merge: true });
  const entries: string[] = read('values.yaml').gateway.open;
  const open = (method: string, path: string) =>
    entries.some((entry) => {
      const [allowed, pattern = ''] = entry.split(' ');
      const prefix = pattern.replace(/\/\*\*$/, '');
      const fits = path === prefix || (prefix !== pattern && path.startsWith(`${prefix}/`));
      return fits && (allowed === 'ANY' || allowed === method.toUpperCase());
    });
  return { open, version: read('Chart.yaml').version as string };
}
