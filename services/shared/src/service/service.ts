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
  /** Called once the database is migrated. */
  start(log: Logger): Started;
}

/** Something that was started, and is stopped in the opposite order. */
export interface Started {
  name: string;
  /** Names what it still needs for the process to be ready, if anything. */
  waitingFor?(): string | undefined;
  stop(): unknown;
}

export interface ServiceConsumer<Client> {
  // biome-ignore lint/suspicious/noExplicitAny: what `prepare` returns concerns the group alone
  group: ConsumerGroup<Client, any>;
  config: MessagingConfig & { DATABASE_URL: string };
  /** Starts the relay of its database, which has an outbox; the source of its events is `/store/<publishesAs>`. */
  publishesAs?: string;
  /** The process also answers requests: once it has joined its group, it stays ready while Kafka is unavailable. */
  servesWithoutKafka?: boolean;
}

/** For a process that publishes events and consumes none. */
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
  /** Ends the answers that would never end by themselves; called when no new requests are expected any more. */
  endStreams?: () => void;
  /** Further ports that answer like the main one. */
  extraPorts?: number[];
}

export interface ServiceContext<Config, Client> {
  config: Config;
  log: Logger;
  /** Undefined in a service that has none. */
  database: Database<Client>;
}

/** How a process is built, for main.ts or worker.ts, or to read its routes. Building connects to and starts nothing. */
export interface ServiceDefinition<Schema extends z.ZodType<ServiceConfig & Partial<DatabaseConfig>>, Client = never> {
  name: string;
  configSchema: Schema;
  /** Its database, if it has one. */
  database?: {
    /** The folder of its Prisma migrations. */
    migrations: URL;
    PrismaClient: ClientClass<Client>;
    poolSize?: number;
  };
  build(context: ServiceContext<z.output<Schema>, Client>): Promise<Service<Client>> | Service<Client>;
}
