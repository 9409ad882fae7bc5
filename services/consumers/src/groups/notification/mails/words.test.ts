import { en } from './en.ts';
import { pt } from './pt.ts';
import { accountKinds, type MailData, type MailKind, orderKinds, ownKinds } from './words.ts';

/** Every field but `requestId`, which changes the message of AccountRegistered. */
const data: Required<Omit<MailData, 'requestId'>> = {
  orderId: 'b1e5c0de',
  amount: '12.50 USD',
  shipmentId: '7c9e6679',
  reason: 'out of stock',
  host: 'erp.example.com',
};
const kinds: [MailKind, MailData][] = [
  ...[...orderKinds, ...accountKinds, ...ownKinds].map((kind): [MailKind, MailData] => [kind, data]),
  ['AccountRegistered', { requestId: 'f4a9' }],
];

it.each(kinds)('%s says the same in Portuguese as in English, with %j', (kind, data) => {
  const [english, portuguese] = [en, pt].map(({ messages }) => messages[kind](data));
  expect(portuguese?.subject).not.toBe(english?.subject);
  expect(portuguese?.link === undefined).toBe(english?.link === undefined);
  // The words of a reason differ; the next test has them.
  const { reason: _, ...told } = data;
  for (const [field, value] of Object.entries(told))
    expect([field, portuguese?.text.includes(value)]).toEqual([field, english?.text.includes(value)]);
  expect(portuguese?.text).not.toMatch(/\b(the|your|order|stock|you|of)\b/i);
});

/** The reasons that services write (inventory's reservations.ts, order's due-orders.ts and orders.ts, payment's providers/built-in-provider.ts). */
const reasons = [
  ['out of stock', 'sem estoque'],
  ['product no longer exists', 'o produto já não existe'],
  ['limit per customer reached', 'limite por cliente atingido'],
  ['not confirmed in time', 'não foi confirmado a tempo'],
  ['cancelled by the customer', 'cancelado pelo cliente'],
  ['cancelled by the store', 'cancelado pela loja'],
  ['the total is above 100000', 'o total é superior a 100000'],
  ['of another producer', 'of another producer'],
] as const;

it.each(reasons)('the reason %j is %j in Portuguese', (reason, translated) => {
  for (const kind of ['OrderCancelled', 'StockRejected', 'PaymentFailed'] as const)
    expect(pt.messages[kind]({ ...data, reason }).text).toContain(`: ${translated}.`);
});
