import { maxShipped } from '@store/shared/contracts/order-demand';
import type { Database } from '@store/shared/database/database';
import type { Job } from '@store/shared/service/service';
import { loop } from '@store/shared/values/loop';
import { hourMs } from '@store/shared/values/time';
import type { PrismaClient } from '../generated/client.ts';
import type { OrderClient } from '../order-client.ts';
import type { BookRepository } from './book-repository.ts';
import { bookOn } from './entry-repository.ts';

interface Dependencies {
  repository: Pick<BookRepository, 'owedFor'>;
  orders: Pick<OrderClient, 'shipped'>;
  inTransaction: Database<PrismaClient>['inTransaction'];
}

const beforeAll = '00000000-0000-0000-0000-000000000000';

/**
 * Books shipments that the books lack: those from before the books, and those whose event nobody booked during the upgrade. Order says
 * which orders were shipped, and when; that may be asked again at any time. One round looks at a batch of orders, and an hour passes
 * once all have been looked at. Several processes may do this at once.
 */
export function bookMissingShipments({ repository, orders, inTransaction }: Dependencies): Job {
  let after = beforeAll;

  return loop({ name: 'shipments that the books lack', everyMs: hourMs }, async () => {
    const orderIds = await repository.owedFor(after, maxShipped);
    const shipments = orderIds.length > 0 ? await orders.shipped(orderIds) : [];
    if (shipments.length > 0) await inTransaction((tx) => bookOn(tx).shipped(shipments));
    const isMore = orderIds.length === maxShipped;
    after = (isMore && orderIds.at(-1)) || beforeAll;
    return isMore;
  });
}
