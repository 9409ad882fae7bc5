import { wholeRefundId } from '@store/shared/contracts/refund';
import { lookRecorder } from '@store/shared/database/audit';
import type { NewEvent } from '@store/shared/messaging/consumer/group';
import { loop } from '@store/shared/values/loop';
import { hourMs } from '@store/shared/values/time';
import type { CreateGroup, OwnGroup } from '../../group.ts';
import {
  createCreditNoteRepository,
  insertCreditNotes,
  lockCreditNotes,
  type Refund,
} from './credit-note-repository.ts';
import { createInvoiceRepository, type Invoice, insertInvoices } from './invoice-repository.ts';
import { writeMissingCreditNotes } from './missing-credit-note-repository.ts';
import { createOrderClient } from './order-client.ts';
import { documentRoutes } from './routes.ts';

const kinds = ['OrderPaid', 'RefundIssued', 'PaymentRefunded'] as const;
type Delivered = NewEvent<unknown, (typeof kinds)[number]>;

const group: OwnGroup<(typeof kinds)[number]> = {
  kinds,
  async handle(events, tx) {
    const now = new Date();
    const invoices = events.flatMap(toInvoice);
    const refunds = events.flatMap(toRefund);
    // Invoices before credit notes, so that the two counters are always locked in this order.
    if (invoices.length > 0) insertInvoices(tx, invoices, now);
    if (refunds.length === 0) return;
    lockCreditNotes(tx);
    await insertCreditNotes(tx, refunds, now);
  },
};

/** Writes an invoice for each paid order and a credit note for each refund, both numbered without gaps (contract 4.10). */
export const createGroup: CreateGroup = ({ config, database }) => ({
  title: 'Invoice API',
  publishesAs: 'invoice',
  group,
  jobs: [loop({ name: 'missing credit notes', everyMs: hourMs }, () => writeMissingCreditNotes(database))],
  routes: documentRoutes({
    invoices: createInvoiceRepository(database),
    creditNotes: createCreditNoteRepository(database),
    orders: createOrderClient(config.ORDER_URL ?? ''),
    recordLook: lookRecorder(database),
    seller: {
      seller: config.SELLER,
      ...(config.SELLER_TAX_NUMBER !== undefined && { sellerTaxNumber: config.SELLER_TAX_NUMBER }),
    },
  }),
});

function toInvoice({ event, trace: { traceparent } }: Delivered): Invoice[] {
  if (event.kind !== 'OrderPaid') return [];
  const { timestamp: paidAt, ...payment } = event.payload;
  return [{ ...payment, paidAt, traceparent }];
}

/** An event that returned nothing has no credit note: everything had been returned before, or the order was free of charge. */
function toRefund({ event: { kind, payload }, trace }: Delivered): Refund[] {
  if (kind === 'OrderPaid') return [];
  const { orderId, customerId, timestamp: refundedAt } = payload;
  const common = { orderId, customerId, refundedAt, trace };
  const refund: Refund =
    kind === 'RefundIssued'
      ? { ...common, refundId: payload.refundId, amount: payload.amount, taxes: payload.taxes }
      : { ...common, refundId: wholeRefundId(orderId), amount: payload.remainder ?? payload.amount };
  return refund.amount.amount.isZero() ? [] : [refund];
}
