import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../paths.ts';
import { breakingChanges, eventChanges } from './breaking-changes.ts';

const text = readFileSync(join(root, 'docs/openapi.yaml'), 'utf8');

// Any shape: the changes below reach for what the document has.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Document = any;

function changesBy(change: (document: Document) => void): string[] {
  const changed = parse(text);
  change(changed);
  return breakingChanges(parse(text), changed);
}

it('finds nothing in the same document', () => {
  expect(changesBy(() => undefined)).toEqual([]);
});

const schema = (document: Document, name: string) => document.components.schemas[name];
const list = (document: Document) => document.paths['/orders'].get;

test.each<[string, (document: Document) => void, string[]]>([
  [
    'a path that is gone',
    (d) => delete d.paths['/products/{id}'],
    ['GET /products/{id} is gone', 'PUT /products/{id} is gone', 'DELETE /products/{id} is gone'],
  ],
  ['an operation that is gone', (d) => delete d.paths['/orders/{id}'].patch, ['PATCH /orders/{id} is gone']],
  [
    'another name',
    (d) => {
      list(d).operationId = 'orders';
    },
    ['GET /orders is called orders, and was called listOrders'],
  ],
  [
    'a token',
    (d) => {
      d.paths['/auth/register'].post.security = [{ token: [] }];
    },
    ['POST /auth/register needs a token'],
  ],
  [
    'a parameter that is gone',
    (d) => {
      list(d).parameters = list(d).parameters.filter((one: Document) => one.name !== 'status');
    },
    ['GET /orders: the query parameter status is gone'],
  ],
  [
    'a new parameter that is required',
    (d) => {
      list(d).parameters.push({ name: 'since', in: 'query', required: true, schema: { type: 'string' } });
    },
    ['GET /orders: the query parameter since is required'],
  ],
  [
    'a smaller maximum',
    (d) => {
      list(d).parameters.find((one: Document) => one.name === 'size').schema.maximum = 50;
    },
    ['GET /orders: the query parameter size has maximum 50, and had 100'],
  ],
  [
    'a new required field of a request',
    (d) => {
      schema(d, 'ProductIn').required.push('ean');
    },
    ['POST /products: the body.ean is required'],
  ],
  [
    'a shorter field of a request',
    (d) => {
      schema(d, 'Credentials').properties.email.maxLength = 100;
    },
    ['POST /auth/login: the body.email has maxLength 100, and had 254'],
  ],
  [
    'another type in a request',
    (d) => {
      schema(d, 'TokenIn').properties.token.type = 'integer';
    },
    ['POST /auth/solve: the body.token must be integer, and was string'],
  ],
  [
    'a body that is required',
    (d) => {
      d.paths['/orders/{id}/cancellation'].post.requestBody = { required: true };
    },
    ['POST /orders/{id}/cancellation: a body is required'],
  ],
  [
    'a value that may no longer be sent',
    (d) => {
      schema(d, 'OrderChange').properties.status.enum.pop();
    },
    ['PATCH /orders/{id}: the body.status may no longer be CANCELLED'],
  ],
  [
    'a field of a response that is gone',
    (d) => {
      delete schema(d, 'AccountOut').properties.name;
    },
    expect.arrayContaining(['POST /auth/login: 200.name is gone', 'GET /accounts: 200[].name is gone']),
  ],
  [
    'a field of a response that may be absent',
    (d) => {
      schema(d, 'SolveOut').required = [];
    },
    ['POST /auth/solve: 200.idAccount may be absent'],
  ],
  [
    'a new value in a response',
    (d) => {
      schema(d, 'OrderOut').properties.status.enum.push('LOST');
    },
    expect.arrayContaining(['GET /orders: 200.content[].status may now be LOST']),
  ],
  [
    'null in a response',
    (d) => {
      schema(d, 'CancellationOut').properties.reason.type = ['string', 'null'];
    },
    ['GET /orders/{id}/cancellation: 200.reason may be string or null, and was string'],
  ],
  [
    'a status that is gone',
    (d) => {
      const { responses } = d.paths['/orders'].post;
      responses[202] = responses[201];
      delete responses[201];
    },
    ['POST /orders: 201 is gone'],
  ],
  [
    'a header that is gone',
    (d) => {
      delete d.paths['/orders'].post.responses[201].headers.Location;
    },
    ['POST /orders: 201 has no Location'],
  ],
  [
    'another media type',
    (d) => {
      const answer = d.paths['/accounts'].get.responses[200];
      answer.content = { 'text/csv': answer.content['application/json'] };
    },
    ['GET /accounts: 200 is no longer application/json'],
  ],
])('finds %s', (_, change, expected) => {
  expect(changesBy(change)).toEqual(expected);
});

test.each<[string, (document: Document) => void]>([
  [
    'more operations',
    (d) => {
      d.paths['/reviews'] = d.paths['/products'];
    },
  ],
  [
    'an optional parameter',
    (d) => {
      list(d).parameters.push({ name: 'since', in: 'query', required: false, schema: { type: 'string' } });
    },
  ],
  [
    'a larger maximum',
    (d) => {
      list(d).parameters.find((one: Document) => one.name === 'size').schema.maximum = 500;
    },
  ],
  [
    'an optional field of a request',
    (d) => {
      schema(d, 'ProductIn').properties.ean = { type: 'string' };
    },
  ],
  [
    'a further field of a response',
    (d) => {
      schema(d, 'AccountOut').properties.phone = { type: 'string' };
    },
  ],
  [
    'an operation that needs no token any more',
    (d) => {
      d.paths['/products'].get.security = [];
    },
  ],
  [
    'a failure that is gone',
    (d) => {
      delete d.paths['/orders'].post.responses[409];
    },
  ],
])('allows %s', (_, change) => {
  expect(changesBy(change)).toEqual([]);
});

describe('events', () => {
  const events = readFileSync(join(root, 'docs/asyncapi.yaml'), 'utf8');
  const changed = (change: (payload: (kind: string) => Document, document: Document) => void) => {
    const document = parse(events);
    change((kind) => document.components.messages[kind].payload, document);
    return eventChanges(parse(events), document);
  };

  it('have not changed in the same document', () => {
    expect(changed(() => undefined)).toEqual([]);
  });

  it('may have further optional fields', () => {
    expect(
      changed((payload) => {
        payload('OrderPaid').properties.method = { type: 'string' };
      }),
    ).toEqual([]);
  });

  it('may not lose a field, need a new one, or disappear', () => {
    const found = changed((payload, document) => {
      delete payload('OrderPaid').properties.paymentId;
      payload('OrderShipped').required.push('carrier');
      delete document.components.messages.StockReleased;
    });
    expect(found.sort()).toEqual([
      'The event OrderPaid.paymentId is gone',
      'The event OrderShipped.carrier is required',
      'The event StockReleased is gone',
    ]);
  });
});
