import { paymentFailed } from '@store/shared/contracts/order';
import { isoTime } from '@store/shared/database/keyset';
import { raw } from '@store/shared/database/sql';
import type { ShipmentDetails, toItemOut, toOrderOut, toPaymentOut } from '../order.ts';

// The representation of an order as text that PostgreSQL makes, for reads, which change nothing. A page of 100 orders with 3
// lines each takes 0.8 ms of this process's CPU in this way, and 2.3 ms as rows that toOrderOut reads. With 100 lines each it takes
// 4 ms and 17 ms. A page may have 10,000 lines, for which PostgreSQL's own JSON functions take several times as long as text.

/** SQL for JSON text. An optional field is left out if its text is null, as JSON.stringify leaves out undefined. */
type Json = string | { optional: string };
type Fields<Out> = Record<keyof Out & string, Json>;

const text = (column: string) => `'"' || ${column} || '"'`;
const time = (column: string) => text(isoTime(column, 'MS'));
const money = (amount: string) => `'{"amount":' || trim_scale(${amount}) || ',"currency":"' || orders.currency || '"}'`;
const orNull = (json: string) => `coalesce(${json}, 'null')`;
const textOrNull = (column: string) => orNull(`to_json(${column})::text`);
const ofDetails = (json: string) => orNull(`(select ${json} from order_details where order_id = orders.id)`);

/** In a JavaScript object, keys that are array indexes come first (ECMA-262, OrdinaryOwnPropertyKeys). Others are ordered by their bytes. */
const inJsOrder = `case when key ~ '^(0|[1-9]\\d{0,9})$' and key::bigint < 4294967295 then key::bigint end nulls last, key collate "C"`;

const itemFields: Fields<ReturnType<typeof toItemOut>> = {
  productId: text('product_id'),
  name: textOrNull('name'),
  sku: textOrNull('sku'),
  quantity: 'quantity',
  unitPrice: money('unit_price'),
  taxPermille: { optional: 'nullif(tax_permille, 0)' },
};

/** Other orders have none, and cost no look-up. Others than PENDING orders have none any more. */
export const actionUrl = `case when orders.has_payment_details then (
  select action_url from payment_details where order_id = orders.id
) end`;

const refunded = `coalesce(
  orders.refunded, case when orders.status = 'CANCELLED' and orders.paid_at is not null then orders.total_amount else 0 end
)`;

/** As `paymentStatusOf`. */
const paymentStatus = `case
  when orders.status = 'PENDING' then case when ${actionUrl} is null then 'pending' else 'action-required' end
  when orders.paid_at is null then case when orders.cancel_reason = '${paymentFailed}' then 'failed' else 'cancelled' end
  when ${refunded} = 0 then 'paid'
  when ${refunded} < orders.total_amount then 'partially-refunded'
  else 'refunded'
end`;

const paymentFields: Fields<ReturnType<typeof toPaymentOut>> = {
  status: text(paymentStatus),
  nextAction: { optional: object({ type: `'"redirect"'`, url: `to_json(${actionUrl})::text` }) },
  refunded: money(refunded),
};

const shipmentFields: Fields<ShipmentDetails> = {
  carrier: textOrNull('carrier'),
  trackingNumber: textOrNull('tracking_number'),
  trackingUrl: textOrNull('tracking_url'),
};

/** In the sequence of `toOrderOut`, so that an order is the same text in every reply. */
const orderFields: Fields<ReturnType<typeof toOrderOut>> = {
  id: text('orders.id'),
  customerId: text('orders.account_id'),
  status: text('orders.status'),
  total: money('orders.total_amount'),
  items: `'[' || (
    select coalesce(string_agg(${object(itemFields)}, ',' order by position), '') from order_items where order_id = orders.id
  ) || ']'`,
  createdAt: time('orders.created_at'),
  updatedAt: time('orders.updated_at'),
  version: '(1 + num_nonnulls(orders.paid_at, orders.shipped_at, orders.cancelled_at) + orders.payment_changes)',
  shippingAddress: ofDetails('shipping_address::text'),
  metadata: ofDetails(`case when metadata is not null then (
    select '{' || coalesce(string_agg(to_json(key)::text || ':' || to_json(value)::text, ',' order by ${inJsOrder}), '') || '}'
    from jsonb_each_text(metadata)
  ) end`),
  payment: object(paymentFields),
  // Most orders of a list are not shipped or have no row, and PostgreSQL does not look for one before the shipment.
  shipment: orNull(`case when orders.shipped_at is not null then (
    select ${object(shipmentFields)} from shipments where order_id = orders.id
  ) end`),
  paidAt: { optional: time('orders.paid_at') },
  shippedAt: { optional: time('orders.shipped_at') },
  cancelledAt: { optional: time('orders.cancelled_at') },
};

/** For a statement that selects from `orders`. */
export const orderAsJson = raw(object(orderFields));

/** Where to go for the payment is the customer's alone. */
const { nextAction: _, ...paymentForOthers } = paymentFields;
const orderForOthers = { ...orderFields, payment: object(paymentForOthers) };
export const orderForOthersAsJson = raw(object(orderForOthers));

/** With the fields that customers do not see in their lists. */
export const orderRecordAsJson = raw(
  object({
    ...orderForOthers,
    cancelReason: textOrNull('orders.cancel_reason'),
    deletedAt: orNull(time('orders.deleted_at')),
  }),
);

/** The first field must not be optional. Uses `||`, because a page has thousands of items and `concat_ws` takes a fifth longer. */
function object(fields: Record<string, Json>): string {
  const members = Object.entries(fields).map(([name, json], index) => {
    const member = `'${index === 0 ? '' : ','}"${name}":' || `;
    return typeof json === 'string' ? member + json : `coalesce(${member}${json.optional}, '')`;
  });
  return `'{' || ${members.join(' || ')} || '}'`;
}
