import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { root } from '../paths.ts';
import { breakingChanges, eventChanges } from './breaking-changes.ts';

const api = readFileSync(join(root, 'docs/openapi.yaml'), 'utf8');
const events = readFileSync(join(root, 'docs/asyncapi.yaml'), 'utf8');

// Any shape: the changes below reach for what the document has.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Document = any;
type Change = (document: Document) => void;

function changed(text: string, change: Change): string {
  const document = parse(text);
  change(document);
  return stringify(document, { aliasDuplicateObjects: false });
}
const changesBy = (change: Change) => breakingChanges(api, changed(api, change));

it('finds nothing in the same document', async () => {
  expect(await changesBy(() => undefined)).toEqual([]);
});

it('refuses a document with a reference that names nothing', async () => {
  await expect(breakingChanges(api.replace('  schemas:', '  things:'), api)).rejects.toThrow(/resolve/);
});

const schema = (document: Document, name: string) => document.components.schemas[name];
const field = (document: Document, name: string, property: string) => schema(document, name).properties[property];
const list = (document: Document) => document.paths['/orders'].get;
const parameter = (document: Document, name: string) =>
  list(document).parameters.find((one: Document) => one.name === name);
const since = { name: 'since', in: 'query', schema: { type: 'string' } };

const set = (target: Document, values: object) => Object.assign(target, values);

test.each<[string, Change]>([
  ['PATCH /orders/{id} is gone', (d) => delete d.paths['/orders/{id}'].patch],
  ['GET /orders: is called orders, and was called listOrders', (d) => set(list(d), { operationId: 'orders' })],
  ['POST /auth/register: needs a token', (d) => set(d.paths['/auth/register'].post, { security: [{ token: [] }] })],
  [
    'GET /orders: query status is gone',
    (d) => list(d).parameters.splice(list(d).parameters.indexOf(parameter(d, 'status')), 1),
  ],
  ['GET /orders: query since is required', (d) => list(d).parameters.push({ ...since, required: true })],
  ['GET /orders: query size has maximum 50, and had 100', (d) => set(parameter(d, 'size').schema, { maximum: 50 })],
  ['POST /products: body application/json.ean is required', (d) => schema(d, 'ProductIn').required.push('ean')],
  [
    'POST /auth/solve: body application/json.token is integer, and was string',
    (d) => set(field(d, 'TokenIn', 'token'), { type: 'integer' }),
  ],
  [
    'POST /orders/{id}/cancellation: body is required',
    (d) => set(d.paths['/orders/{id}/cancellation'].post, { requestBody: { required: true } }),
  ],
  [
    'PATCH /orders/{id}: body application/json.status may no longer be CANCELLED',
    (d) => field(d, 'OrderChange', 'status').enum.pop(),
  ],
  ['GET /accounts: 200 application/json[].name is gone', (d) => delete schema(d, 'AccountOut').properties.name],
  [
    'POST /auth/solve: 200 application/json.idAccount may be absent',
    (d) => set(schema(d, 'SolveOut'), { required: [] }),
  ],
  [
    'GET /orders: 200 application/json.content[].status may now be LOST',
    (d) => field(d, 'OrderOut', 'status').enum.push('LOST'),
  ],
  [
    'GET /orders/{id}/cancellation: 200 application/json.reason is string or null, and was string',
    (d) => set(field(d, 'CancellationOut', 'reason'), { type: ['string', 'null'] }),
  ],
  ['POST /orders: 201 is gone', (d) => delete d.paths['/orders'].post.responses[201]],
  ['POST /orders: 201 Location is gone', (d) => delete d.paths['/orders'].post.responses[201].headers.Location],
  [
    'GET /accounts: 200 application/json is gone',
    (d) => set(d.paths['/accounts'].get.responses[200], { content: { 'text/csv': {} } }),
  ],
])('finds %s', async (expected, change) => {
  const found = await changesBy(change);
  expect(found).toContain(expected);
  expect(found.length).toBeLessThan(8);
});

it('allows more to send, more to read, and fewer failures', async () => {
  const allowed = await changesBy((d) => {
    Object.assign(d.paths, { '/reviews': d.paths['/products'] });
    list(d).parameters.push({ ...since, required: false });
    parameter(d, 'size').schema.maximum = 500;
    schema(d, 'ProductIn').properties.ean = { type: 'string' };
    schema(d, 'AccountOut').properties.phone = { type: 'string' };
    d.paths['/products'].get.security = [];
    delete d.paths['/orders'].post.responses[409];
  });
  expect(allowed).toEqual([]);
});

describe('events', () => {
  const changesOfEvents = (change: Change) => eventChanges(events, changed(events, change));
  const payload = (document: Document, kind: string) => document.components.messages[kind].payload;

  it('may have further optional fields', async () => {
    const further = { method: { type: 'string' } };
    expect(await changesOfEvents((d) => Object.assign(payload(d, 'OrderPaid').properties, further))).toEqual([]);
  });

  it('may not lose a field, need a new one, or disappear', async () => {
    const found = await changesOfEvents((d) => {
      delete payload(d, 'OrderPaid').properties.paymentId;
      payload(d, 'OrderShipped').required.push('carrier');
      delete d.components.messages.StockReleased;
      // These refer to it.
      Object.assign(d, { channels: {}, operations: {} });
    });
    expect(found.sort()).toEqual([
      'The event OrderPaid.paymentId is gone',
      'The event OrderShipped.carrier is required',
      'The event StockReleased is gone',
    ]);
  });
});
