import type { AnyRoute } from '@store/shared/http/route';
import type { ConsumerGroup } from '@store/shared/messaging/consumer/group';
import type { EventKind } from '@store/shared/messaging/events';
import type { Job, ServiceContext } from '@store/shared/service/service';
import type { ConsumersConfig } from './config.ts';
import type { PrismaClient } from './generated/client.ts';

/** The part of a consumer group that differs from group to group. */
export type OwnGroup<Kind extends EventKind = EventKind> = Pick<
  ConsumerGroup<PrismaClient, unknown, Kind>,
  'kinds' | 'wanted' | 'handle' | 'accounts' | 'maxWaitMs' | 'takesSeveralPerOrder'
> & { chunkSize?: number };

/** The function that groups/<name>/consumer-group.ts exports as `createGroup`. */
export type CreateGroup = (context: Pick<ServiceContext<ConsumersConfig, PrismaClient>, 'config' | 'database'>) => {
  /** Title of the documentation. */
  title: string;
  /** If set, its process publishes the outbox that all groups share. Only one group may set it. */
  publishesAs?: string;
  /**
   * `handle` gets up to 200 events of different orders and several partitions in one transaction, while other replicas
   * do the same. It must lock rows in a fixed order, or use statements that need none. Events of one order and one service
   * come in the order in which they were written. Events of different services come in any order, and a redriven dead
   * letter comes after its successors (contract 6.7).
   */
  group: OwnGroup;
  routes: AnyRoute[];
  jobs?: Job[];
};
