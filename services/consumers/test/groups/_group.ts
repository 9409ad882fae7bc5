import { openDatabase } from '@store/shared/database/database';
import { handleOnce } from '@store/shared/messaging/consumer/consumer';
import type { StoredEvent } from '@store/shared/messaging/events';
import { createLog } from '@store/shared/observability/log';
import request from 'supertest';
import { receivedEvent } from '../../../../tests/kit/order-events.ts';
import { createApp } from '../../src/app.ts';
import { createTransactions } from '../../src/change-store.ts';
import { PrismaClient } from '../../src/generated/client.ts';
import { type ConsumerGroup, handlersOf } from '../../src/groups.ts';
import { createPages } from '../../src/page-store.ts';

/** What a process of a group does, without the broker. */
export function testGroup(databaseUrl: string, group: ConsumerGroup, { sendsMail = false, production = false } = {}) {
  const { adapter, transact, close } = openDatabase(databaseUrl);
  const prisma = new PrismaClient({ adapter });
  const consumerGroup = {
    group,
    handlers: handlersOf[group],
    transaction: createTransactions(transact, { sendsMail }),
  };
  const app = createApp({ group, pages: createPages(prisma), log: createLog(group, 'silent'), production });
  return {
    prisma,
    app,
    /** In one transaction, as events that come together are. */
    handle: (...events: StoredEvent[]) => handleOnce(consumerGroup, events.map(receivedEvent)),
    get: (path: string) => request(app).get(path),
    close,
  };
}

export type TestGroup = ReturnType<typeof testGroup>;

/** All items of a collection by `Link: rel="next"`. */
export async function paginate<T>(group: TestGroup, path: string): Promise<T[]> {
  const items: T[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { status, headers, body } = await group.get(next);
    if (status !== 200) throw new Error(`${next} is answered with ${status}`);
    items.push(...body.content);
    next = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
  }
  return items;
}
