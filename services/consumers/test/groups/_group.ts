import { openDatabase } from '@store/shared/database/database';
import { createEventProcessor } from '@store/shared/messaging/consumer/handle-once';
import type { StoredEvent } from '@store/shared/messaging/events';
import { createLog } from '@store/shared/observability/log';
import request from 'supertest';
import { receivedEvent } from '../../../../tests/kit/order-events.ts';
import { configSchema } from '../../src/config.ts';
import { PrismaClient } from '../../src/generated/client.ts';
import type { DB } from '../../src/generated/tables.ts';
import { createGroup as createAnalytics } from '../../src/groups/analytics/group.ts';
import { createGroup as createInvoices } from '../../src/groups/invoice/group.ts';
import { createGroup as createNotifications } from '../../src/groups/notification/group.ts';
import { createGroupService } from '../../src/service.ts';

export const groups = {
  'notification-group': createNotifications,
  'analytics-group': createAnalytics,
  'invoice-group': createInvoices,
};

/** What a process of a group does, without the broker. */
export function testGroup(
  databaseUrl: string,
  name: keyof typeof groups,
  { sendsMail = false, production = false } = {},
) {
  const database = openDatabase<DB>(databaseUrl);
  const config = configSchema.parse({
    ...{ DATABASE_URL: databaseUrl, KAFKA_BROKERS: 'unused:1', CONSUMER_GROUP: name },
    ...(sendsMail && { SMTP_URL: 'smtp://unused' }),
    ...(production && { APP_PROFILE: 'prod' }),
  });
  const context = { config, log: createLog(name, 'silent'), database };
  const { app, consumer } = createGroupService(context, groups[name]);
  const processor = createEventProcessor(consumer.group, database.kysely);
  return {
    prisma: new PrismaClient({ adapter: database.adapter }),
    kysely: database.kysely,
    app,
    /** In one transaction, as events of one chunk are. */
    handle: (...events: StoredEvent[]) => processor.process(events.map(receivedEvent)),
    get: (path: string) => request(app).get(path),
    close: database.close,
  };
}

export type TestGroup = ReturnType<typeof testGroup>;

/** All items of a collection, by `Link: rel="next"`. */
export async function paginate<T>(group: TestGroup, path: string): Promise<T[]> {
  const items: T[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { status, headers, body } = await group.get(next);
    if (status !== 200) throw new Error(`${next} returned ${status}`);
    items.push(...body.content);
    next = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
  }
  return items;
}
