import { z } from 'zod';
import { accountPayloads, type Message, payloads, readEvent } from './events.ts';

const orderId = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const eventId = '0f8fad5b-d9cb-469f-a165-70867728950e';
const created = { orderId, customerId: orderId, timestamp: '2026-01-31T09:30:00Z' };
const ofKind = { ce_type: 'OrderCancelled' };
const cancelled = { ...created, reason: 'why not' };
const origin = { topic: 'order-events', partition: 3, offset: '7' };
const kinds = new Set(['OrderCreated', 'OrderCancelled', 'OrderPaid', 'StockReserved', 'OrderShipped']);

type Given = Partial<Message> & { payload?: object };

function read({ payload = created, ...given }: Given = {}) {
  return readEvent({ origin, key: orderId, value: JSON.stringify(payload), headers: {}, ...given }, kinds);
}

const items = [{ productId: orderId, quantity: 1 }];
const money = { amount: 1, currency: 'USD' };

describe('the kind of an event is', () => {
  it.each<[string, Given, string]>([
    ['the kind in its header', { headers: ofKind, payload: { ...cancelled, type: 'x' } }, 'OrderCancelled'],
    ['without a header, the field type', { payload: { ...cancelled, type: 'OrderCancelled' } }, 'OrderCancelled'],
    ['without both, OrderCreated for the specified fields', {}, 'OrderCreated'],
    [
      'OrderCreated for the specified and optional fields',
      { payload: { ...created, items, total: money } },
      'OrderCreated',
    ],
    [
      'OrderCreated despite optional fields of other kinds',
      { payload: { ...created, state: 'OPEN', remainder: money } },
      'OrderCreated',
    ],
    ['OrderCreated despite unknown fields', { payload: { ...created, praise: 'yes', total: money } }, 'OrderCreated'],
  ])('%s', (_, given, kind) => expect(read(given)?.kind).toBe(kind));

  it.each<[string, Given]>([
    ['a header', { headers: { ce_type: 'OrderPraised' } }],
    ['the field type', { payload: { ...created, type: 'OrderCreatedV2' } }],
  ])('unknown if %s names another kind, and the event is skipped', (_, given) => expect(read(given)).toBeUndefined());

  it.each<[string, Given]>([
    ['a field of other kinds', { payload: cancelled }],
    ['fields of another kind', { payload: { ...created, paymentId: orderId, amount: money } }],
    ['a shipment', { payload: { ...created, shipmentId: orderId } }],
    ['a missing field', { payload: { orderId, customerId: orderId } }],
    ['a type that is not text', { payload: { ...created, type: 7 } }],
    ['an empty type', { payload: { ...created, type: '' } }],
    ['a list', { value: '[]' }],
    ['null', { value: 'null' }],
  ])('unclear with %s, which is poison', (_, given) => expect(() => read(given)).toThrow(/no kind/));

  it.each<[string, Given]>([
    ['is empty', { headers: { ce_type: '' } }],
    ['is repeated or not text', { headers: { ce_type: undefined } }],
  ])('unclear if its header %s, which is poison', (_, given) => expect(() => read(given)).toThrow(/header ce_type/));
});

describe('the id of an event is', () => {
  it('the id in its header', () => expect(read({ headers: { ce_id: eventId.toUpperCase() } })?.id).toBe(eventId));

  it('without a header, a UUID made from its origin and order, always the same', () => {
    const id = read()?.id;
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(read()?.id).toBe(id);
    const elsewhere = [{ topic: 'other' }, { partition: 4 }, { offset: '8' }];
    const others = elsewhere.map((change) => read({ origin: { ...origin, ...change } })?.id);
    const ofOrder = read({ key: eventId, payload: { ...created, orderId: eventId } })?.id;
    expect(new Set([id, ofOrder, ...others]).size).toBe(5);
  });

  it.each([
    ['not a UUID', '1'],
    ['empty', ''],
    ['repeated or not text', undefined],
  ])('poison if %s', (_, id) => expect(() => read({ headers: { ce_id: id } })).toThrow(/ce_id/));
});

describe('the key of an event is', () => {
  it('the id of its order, in either case', () =>
    expect(read({ key: orderId.toUpperCase() })?.kind).toBe('OrderCreated'));

  it.each([
    ['missing', undefined],
    ['the id of another order', eventId],
  ])('poison if %s', (_, key) => expect(() => read({ key })).toThrow(/key of the message is .*must be the order id/));
});

it('names a field of the wrong type', () => {
  expect(() => read({ payload: { ...created, customerId: 7 } })).toThrow(
    /Invalid payload of OrderCreated.*customerId/s,
  );
});

it('refuses a message without a value in UTF-8', () => {
  expect(() => read({ value: undefined })).toThrow('The message has no value, or none in UTF-8.');
});

describe('in an event of another producer', () => {
  it.each([
    ['2026-01-31T09:30:00.123456789+02:00', '2026-01-31T07:30:00.123456Z'],
    ['2026-01-31t09:30:00z', '2026-01-31T09:30:00.000000Z'],
    ['2026-01-31T09:30:00-00:00', '2026-01-31T09:30:00.000000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000000Z'],
  ])('the time %s is %s', (timestamp, utc) =>
    expect(read({ payload: { ...created, timestamp } })?.payload.timestamp).toBe(utc),
  );

  // Values that PostgreSQL cannot store would otherwise fail in every attempt.
  it.each([
    ['time', { timestamp: '0000-01-01T00:00:00Z' }],
    ['time', { timestamp: '0001-01-01T00:00:00+01:00' }],
    ['time', { timestamp: '9999-12-31T23:59:59-01:00' }],
    ['NUL', { reason: 'a\0b' }],
  ])('a value is poison if PostgreSQL cannot store it: %s in %j', (what, change) =>
    expect(() => read({ headers: ofKind, payload: { ...cancelled, ...change } })).toThrow(what),
  );
});

describe('a field of an event that holds free text', () => {
  /** Written by the services or by the payment provider, never by a person. */
  const ofTheStore = ['reason'];

  type Schema = z.core.JSONSchema.JSONSchema | boolean | undefined;

  /** Names of fields, at any depth, whose texts have neither a format, a pattern nor a list of values. */
  function freeTexts(name: string, schema: Schema): string[] {
    if (typeof schema !== 'object') return [];
    const { type, format, pattern, enum: values, properties = {}, items, additionalProperties, anyOf = [] } = schema;
    // A nullable text has two types.
    if ([type].flat().includes('string')) return format || pattern || values ? [] : [name];
    return [
      ...Object.entries(properties).flatMap(([field, inner]) => freeTexts(field, inner)),
      ...[items, additionalProperties, ...anyOf].flat().flatMap((inner) => freeTexts(name, inner)),
    ];
  }

  it.each(Object.entries({ ...payloads, ...accountPayloads }))('is no text of a person: %s', (kind, payload) => {
    const found = freeTexts(kind, z.toJSONSchema(payload, { io: 'input', unrepresentable: 'any' }));
    const others = found.filter((name) => !ofTheStore.includes(name));
    const advice =
      'add it to ofTheStore if the store writes it; if a person does, remove it (docs/development.md, An event)';
    expect(others.map((name) => `${kind}.${name} is free text: ${advice}`)).toEqual([]);
  });
});
