import type { NewEvent } from '@store/shared/messaging/consumer/handle-once';
import type { CreateGroup } from '../../group.ts';
import { createInvoiceRepository, type Invoice, insertInvoices } from './invoice-repository.ts';
import { createOrderClient } from './order-client.ts';
import { invoiceRoutes } from './routes.ts';

/** Writes an invoice for each paid order, numbered without gaps (contract 4.10). */
export const createGroup: CreateGroup = ({ config, database }) => ({
  title: 'Invoice API',
  group: {
    kinds: ['OrderPaid'],
    handle: (events, tx) => insertInvoices(tx, events.flatMap(toInvoice)),
  },
  routes: invoiceRoutes({
    ...createInvoiceRepository(database),
    orders: createOrderClient(config.ORDER_URL ?? ''),
    seller: config.SELLER,
  }),
});

function toInvoice({ event }: NewEvent): Invoice[] {
  if (event.kind !== 'OrderPaid') return [];
  const { timestamp: paidAt, ...payment } = event.payload;
  return [{ ...payment, paidAt }];
}
