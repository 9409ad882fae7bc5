import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { root } from '../paths.ts';
import { breakingChanges, eventsAsOperations, oasdiff } from './breaking-changes.ts';

// Any shape: the changes below access any part of the document.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Document = any;
type Change = (document: Document) => void;

const isHere = await oasdiff();
if (!isHere) console.log('Skipped the comparison of documents: neither oasdiff nor Go is on PATH.');

function changed(text: string, change: Change): string {
  const document = parse(text);
  change(document);
  return stringify(document, { aliasDuplicateObjects: false });
}

const api = readFileSync(join(root, 'docs/openapi.yaml'), 'utf8');
const changesBy = (change: Change) => breakingChanges(api, changed(api, change));
const schema = (document: Document, name: string) => document.components.schemas[name];
const list = (document: Document) => document.paths['/orders'].get;
const since = { name: 'since', in: 'query', schema: { type: 'string' } };

// Of the many changes that oasdiff finds: those that depend on how it is called, and one for each direction.
(isHere ? describe : describe.skip)('a client of the old version', () => {
  // Compiles oasdiff first if it is not installed.
  beforeAll(() => changesBy(() => undefined), 300_000);

  it.each<[string, Change]>([
    ['PATCH /orders/{id}: API removed', (d) => delete d.paths['/orders/{id}'].patch],
    ['GET /orders: API operation id `listOrders` removed', (d) => Object.assign(list(d), { operationId: 'orders' })],
    ['GET /orders: added the new required `query`', (d) => list(d).parameters.push({ ...since, required: true })],
    [
      'PATCH /orders/{id}: removed the enum value `CANCELLED`',
      (d) => schema(d, 'OrderChange').properties.status.enum.pop(),
    ],
    [
      'GET /accounts: removed the required property `items/name`',
      (d) => delete schema(d, 'AccountOut').properties.name,
    ],
    [
      'POST /orders: the optional response header `location` removed',
      (d) => delete d.paths['/orders'].post.responses[201].headers.Location,
    ],
  ])('fails because of %s', async (expected, change) => {
    expect(await changesBy(change)).toContainEqual(expect.stringContaining(expected));
  });

  it('works if inputs or outputs are added, or failures removed', async () => {
    const found = await changesBy((d) => {
      Object.assign(d.paths, { '/reviews': d.paths['/products'] });
      list(d).parameters.push({ ...since, required: false });
      schema(d, 'ProductIn').properties.ean = { type: 'string' };
      schema(d, 'AccountOut').properties.phone = { type: 'string' };
      delete d.paths['/orders'].post.responses[409];
    });
    expect(found).toEqual([]);
  });

  it('reads events with new optional fields, but needs every kind and field of before', async () => {
    const events = readFileSync(join(root, 'docs/asyncapi.yaml'), 'utf8');
    const found = (change: Change) =>
      breakingChanges(eventsAsOperations(events), eventsAsOperations(changed(events, change)));
    const payload = (document: Document, kind: string) => document.components.messages[kind].payload;
    const further = { method: { type: 'string' } };
    expect(await found((d) => Object.assign(payload(d, 'OrderPaid').properties, further))).toEqual([]);
    const broken = await found((d) => {
      delete payload(d, 'OrderPaid').properties.paymentId;
      Object.assign(payload(d, 'OrderShipped').properties, further);
      payload(d, 'OrderShipped').required.push('method');
      delete d.components.messages.StockReleased;
    });
    expect(broken.sort()).toEqual([
      expect.stringMatching(/^POST \/OrderPaid: .*paymentId/),
      expect.stringMatching(/^POST \/OrderPaid: .*paymentId/),
      expect.stringMatching(/^POST \/OrderShipped: .*method/),
      expect.stringMatching(/^POST \/StockReleased: .*removed/),
    ]);
  });
});
