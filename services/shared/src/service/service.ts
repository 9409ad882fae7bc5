import type { RequestListener } from 'node:http';
import type { z } from 'zod';
import type { DatabaseConfig } from '../database/config.ts';
import type { ClientClass, Database } from '../database/database.ts';
import type { MessagingConfig } from '../messaging/config.ts';
import type { ConsumerGroup } from '../messaging/consumer/group.ts';
import type { Logger } from '../observability/log.ts';
import type { ServiceConfig } from './config.ts';

/** Continuous or recurring work of a process. */
export interface Job {
  /** Called when the database has been migrated. */
  start(log: Logger): Started;
}

/** A started part of a process. Parts are stopped in reverse order. */
export interface Started {
  name: string;
  /** Names what it still waits for; undefined if it is ready. */
  waitingFor?(): string | undefined;
  stop(): unknown;
}

export interface ServiceConsumer<Client> {
  // biome-ignore lint/suspicious/noExplicitAny: only the group uses the result of its `prepare`
  group: ConsumerGroup<Client, any>;
  config: MessagingConfig & { DATABASE_URL: string };
  /** If set, the relay of its outbox is started; the source of its events is `/store/<publishesAs>`. */
  publishesAs?: string;
  /** The process also answers requests, so after joining its group it stays ready while Kafka is unavailable. */
  servesWithoutKafka?: boolean;
}

/** For a process that publishes events but consumes none. */
export interface ServicePublisher {
  topic: string;
  config: MessagingConfig & { DATABASE_URL: string };
  /** The source of its events is `/store/<publishesAs>`. */
  publishesAs: string;
}

export interface Service<Client = never> {
  app: RequestListener;
  consumer?: ServiceConsumer<Client>;
  publisher?: ServicePublisher;
  jobs?: Job[];
  /** Ends answers that would never end by themselves; called when no new requests are expected. */
  endStreams?: () => void;
  /** Further ports that serve the same app. */
  extraPorts?: number[];
}

/** For a process without a database, and so without events. */
export type StatelessService = Omit<Service, 'consumer' | 'publisher'>;

interface StatelessContext<Config> {
  config: Config;
  log: Logger;
}

export interface ServiceContext<Config, Client> extends StatelessContext<Config> {
  database: Database<Client>;
}

/** Builds a process, for main.ts or worker.ts, or to read its routes. Building connects to nothing and starts nothing. */
export interface ServiceDefinition<Schema extends z.ZodType<ServiceConfig & Partial<DatabaseConfig>>, Client> {
  name: string;
  configSchema: Schema;
  database: {
    /** The folder of its Prisma migrations. */
    migrations: URL;
    PrismaClient: ClientClass<Client>;
    poolSize?: number;
  };
  build(context: ServiceContext<z.output<Schema>, Client>): Promise<Service<Client>> | Service<Client>;
}

/** Builds a process that has no database. */
export interface StatelessDefinition<Schema extends z.ZodType<ServiceConfig>> {
  name: string;
  configSchema: Schema;
  database?: undefined;
  build(context: StatelessContext<z.output<Schema>>): Promise<StatelessService> | StatelessService;
}
