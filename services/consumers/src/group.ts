import type { AnyRoute } from '@store/shared/http/route';
import type { ConsumerGroup } from '@store/shared/messaging/consumer/group';
import type { EventKind } from '@store/shared/messaging/events';
import type { Job, ServiceContext } from '@store/shared/service/service';
import type { ConsumersConfig } from './config.ts';
import type { PrismaClient } from './generated/client.ts';

/** The part of a consumer group that is its own. */
export type OwnGroup<Kind extends EventKind = EventKind> = Pick<
  ConsumerGroup<PrismaClient, unknown, Kind>,
  'kinds' | 'handle' | 'accounts'
>;

/** Function that groups/<name>/consumer-group.ts exports as `createGroup`. */
export type CreateGroup = (context: Pick<ServiceContext<ConsumersConfig, PrismaClient>, 'config' | 'database'>) => {
  /** Title of the documentation. */
  title: string;
  /**
   * `handle` takes up to 200 events of different orders and several partitions in one transaction, beside other replicas:
   * it locks in a fixed order, or by statements that need none. Of one order and one service events come as they were
   * written; those of different services come in any order, and a redriven dead letter comes after its successors
   * (contract 6.7).
   */
  group: OwnGroup;
  routes: AnyRoute[];
  jobs?: Job[];
};
