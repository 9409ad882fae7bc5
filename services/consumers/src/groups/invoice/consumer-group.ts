import type { NewEvent } from '@store/shared/messaging/consumer/group';
import type { CreateGroup, OwnGroup } from '../../group.ts';
import { createInvoiceRepository, type Invoice, insertInvoices } from './invoice-repository.ts';
import { createOrderClient } from './order-client.ts';
import { invoiceRoutes } from './routes.ts';

const kinds = ['OrderPaid'] as const;

const group: OwnGroup<(typeof kinds)[number]> = {
  kinds,
  handle: (events, tx) => insertInvoices(tx, events.map(toInvoice)),
};

/** Writes an invoice for each paid order, numbered without gaps (contract 4.10). */
export const createGroup: CreateGroup = ({ config, database }) => ({
  title: 'Invoice API',
  group,
  routes: invoiceRoutes({
    ...createInvoiceRepository(database),
    orders: createOrderClient(config.ORDER_URL ?? ''),
    seller: config.SELLER,
  }),
});

function toInvoice({ event }: NewEvent<unknown, (typeof kinds)[number]>): Invoice {
  const { timestamp: paidAt, ...payment } = event.payload;
  return { ...payment, paidAt };
}
