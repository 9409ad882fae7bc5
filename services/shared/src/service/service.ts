import type { RequestListener } from 'node:http';
import type { z } from 'zod';
import type { DatabaseConfig } from '../database/config.ts';
import type { Database } from '../database/database.ts';
import type { MessagingConfig } from '../messaging/config.ts';
import type { ConsumerGroup } from '../messaging/consumer/handle-once.ts';
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

export interface ServiceConsumer<Tables> {
  // biome-ignore lint/suspicious/noExplicitAny: what `prepare` returns concerns the group alone
  group: ConsumerGroup<Tables, any>;
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

export interface Service<Tables = never> {
  app: RequestListener;
  consumer?: ServiceConsumer<Tables>;
  publisher?: ServicePublisher;
  jobs?: Job[];
  /** Ends the answers that would never end by themselves; called when no new requests are expected any more. */
  endStreams?: () => void;
  /** Further ports that answer like the main one. */
  extraPorts?: number[];
}

export interface ServiceContext<Config, Tables> {
  config: Config;
  log: Logger;
  /** Connects to nothing in a service without migrations. */
  database: Database<Tables>;
}

/** How a process is built, for main.ts or worker.ts, or to read its routes. Building connects to and starts nothing. */
export interface ServiceDefinition<Schema extends z.ZodType<ServiceConfig & Partial<DatabaseConfig>>, Tables = never> {
  name: string;
  configSchema: Schema;
  /** Its folder of Prisma migrations; without it the service has no database. */
  migrations?: URL;
  poolSize?: number;
  build(context: ServiceContext<z.output<Schema>, Tables>): Promise<Service<Tables>> | Service<Tables>;
}
