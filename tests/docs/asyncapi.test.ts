import { Parser } from '@asyncapi/parser';
import { type EventKind, payloads, readEvent } from '@store/shared/messaging/events';
import { stringifyJson } from '@store/shared/values/json';
import { parse } from 'yaml';
import type { asyncDocument } from '../../tools/api/async-document.ts';
import { fixedPorts } from '../../tools/local/ports.ts';
import { compilerOf } from '../kit/openapi/document.ts';
import { read } from '../kit/read.ts';

const file = 'docs/asyncapi.yaml';
const text = read(file);
const document: ReturnType<typeof asyncDocument> = parse(text);

const id = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const origin = { topic: 'order-events', partition: 0, offset: '0' };
const items = [{ productId: id, quantity: 2 }];
const money = { amount: 8.5, currency: 'USD' };
const taxes = [
  { permille: 0, gross: 2.5 },
  { permille: 230, gross: 6 },
];
const common = { orderId: id, customerId: id, timestamp: '2026-01-31T09:30:00.000Z' };
/** Events with every field, including optional ones. */
const complete: Record<EventKind, Record<string, unknown>> = {
  OrderCreated: { ...common, items, total: money, taxes, hasToken: true },
  StockReserved: { ...common, items, total: money, taxes, hasToken: true },
  StockRejected: { ...common, items, reason: 'out of stock' },
  OrderPaid: { ...common, paymentId: id, amount: money, taxes },
  PaymentFailed: { ...common, reason: 'declined' },
  StockReleased: { ...common, items, reason: 'declined' },
  OrderCancelled: { ...common, reason: 'cancelled by the customer' },
  PaymentRefunded: { ...common, paymentId: id, amount: money, remainder: money },
  RefundIssued: { ...common, refundId: id, paymentId: id, amount: money, taxes },
  PaymentDisputed: { ...common, disputeId: id, paymentId: id, amount: money, state: 'OPEN' },
  OrderShipped: { ...common, shipmentId: id },
  InvoiceIssued: { ...common, invoiceNumber: 17, amount: money },
  CreditNoteIssued: { ...common, creditNoteNumber: 4, invoiceNumber: 17, amount: money },
};
const kinds = Object.keys(complete) as EventKind[];

describe(file, () => {
  it('is compared with events that have every field', () => {
    const problems = kinds.flatMap((kind) => {
      const [declared, given] = [Object.keys(payloads[kind].shape), Object.keys(complete[kind])];
      const missing = declared.filter((field) => !given.includes(field));
      const unknown = given.filter((field) => !declared.includes(field));
      return [
        ...missing.map((field) => `Add ${field} to complete.${kind} in this test`),
        ...unknown.map((field) => `Remove ${field} from complete.${kind} in this test: ${kind} has no such field`),
      ];
    });
    expect(problems).toEqual([]);
  });

  it('is valid AsyncAPI 3', async () => {
    const findings = await new Parser().validate(text);
    expect(findings.filter(({ severity }) => severity === 0)).toEqual([]);
  });

  it('is checked: an unknown channel is an error', async () => {
    const findings = await new Parser().validate(text.replaceAll('#/channels/deadLetters', '#/channels/nowhere'));
    expect(findings.filter(({ severity }) => severity === 0)).not.toEqual([]);
  });

  it('names the Kafka of make run and of the chart', () => {
    const golden = read('tests/chart/golden/default.yaml');
    const [, inChart] = /name: KAFKA_BROKERS, value: (\S+) /.exec(golden) ?? [];
    const hosts = Object.values(document.servers).map(({ host }) => host);
    expect(hosts).toEqual([`localhost:${fixedPorts({}).of('kafka')}`, inChart]);
  });
});

describe('old and new versions of an event read each other', () => {
  const compile = compilerOf(document.components);
  const validatorOf = (kind: EventKind) => compile({ $ref: `#/components/messages/${kind}/payload` });
  const read = (kind: EventKind, payload: object) =>
    readEvent(
      { origin, key: id, value: stringifyJson(payload), headers: { ce_type: kind, ce_id: id } },
      new Set<string>([kind]),
    )?.kind;
  /** An event from before any field was added. */
  const oldest = (kind: EventKind) => {
    const { shape } = payloads[kind];
    const required = Object.entries(shape).filter(([, field]) => !field.safeParse(undefined).success);
    return Object.fromEntries(required.map(([name]) => [name, complete[kind][name]]));
  };

  it.each(kinds)('%s', (kind) => {
    const newer = { ...complete[kind], addedLater: { some: 'thing' } };
    const isValid = validatorOf(kind);
    for (const payload of [oldest(kind), complete[kind], newer]) {
      expect(read(kind, payload)).toBe(kind);
      expect(isValid(payload)).toBe(true);
    }
    const { orderId: _, ...broken } = complete[kind];
    expect(() => read(kind, broken)).toThrow(/Invalid payload/);
    expect(isValid(broken)).toBe(false);
  });
});
