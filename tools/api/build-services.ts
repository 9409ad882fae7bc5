import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { type Database, openDatabase } from '@store/shared/database/database';
import type { AccountEventKind, EventKind } from '@store/shared/messaging/events';
import { createLog } from '@store/shared/observability/log';
import type { Service, ServiceDefinition } from '@store/shared/service/service';
import request from 'supertest';
import { unreachableDatabaseUrl } from '../../tests/kit/postgres/database.ts';
import { serviceEnv } from '../local/components/services.ts';
import { fixedPorts } from '../local/ports.ts';
import { root } from '../paths.ts';
import { topology } from '../topology/topology.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  maximum?: number;
  examples?: string[];
  [keyword: string]: unknown;
}

type Content = Record<string, { schema: Schema }>;

export interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description?: string; headers?: object; content?: Content; $ref?: string }>;
}

export interface BuiltService {
  name: string;
  kinds: readonly (EventKind | AccountEventKind)[];
  app: RequestListener;
  paths: Record<string, Record<string, Operation>>;
  schemas: Record<string, Schema>;
}

/** Settings in addition to the chart's. Their values do not matter here. */
const given = {
  env: {},
  ports: fixedPorts({}),
  jwtKey: Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64'),
  consoleToken: 'x'.repeat(32),
  brokers: ['unused:1'],
  databaseUrl: unreachableDatabaseUrl,
};

/** Builds every service of the topology by its own definition, which opens no connection. */
export async function buildServices(): Promise<BuiltService[]> {
  const built: BuiltService[] = [];
  // One after another: Jest's module loader does not link concurrent imports that share modules.
  for (const service of topology.services) {
    const file = `services/${service.image}/src/service.ts`;
    // biome-ignore lint/suspicious/noExplicitAny: services with and without a database
    const exported: Record<string, ServiceDefinition<any, any>> = await import(join(root, file));
    const named = (name: string) => Object.values(exported).find((one) => typeof one === 'object' && one.name === name);
    const definition = named(service.name) ?? named(service.image);
    if (definition === undefined) throw new Error(`${file} defines no ${service.name}.`);
    const database = definition.database && openDatabase(definition.database.PrismaClient, given.databaseUrl);
    const config = definition.configSchema.parse(serviceEnv(service, given));
    const log = createLog('test', 'silent');
    const { app, consumer }: Service<unknown> = await definition.build({
      config,
      database: database as Database<unknown>,
      log,
    });
    const { body } = await request(app).get('/v3/api-docs');
    await database?.close();
    const { paths = {}, components: { schemas = {} } = {} } = body;
    const kinds = consumer ? [...consumer.group.kinds, ...(consumer.group.accounts?.kinds ?? [])] : [];
    built.push({ name: service.name, kinds, app, paths, schemas });
  }
  return built;
}
