import type { AnyRoute } from '@store/shared/http/route';
import type { ConsumerGroup } from '@store/shared/messaging/consumer/handle-once';
import type { Job, ServiceContext } from '@store/shared/service/service';
import type { ConsumersConfig } from './config.ts';
import type { DB } from './generated/tables.ts';

/** What groups/<name>/group.ts exports as `createGroup`. */
export type CreateGroup = (context: Pick<ServiceContext<ConsumersConfig, DB>, 'config' | 'database'>) => {
  /** Of the documentation. */
  title: string;
  group: Pick<ConsumerGroup<DB>, 'kinds' | 'handle'>;
  routes: AnyRoute[];
  jobs?: Job[];
};
