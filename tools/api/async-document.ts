import { jsonSchema } from '@store/shared/http/openapi';
import { type EventKind, payloads } from '@store/shared/messaging/events';
import { deadLetterTopic, orderEventsTopic } from '@store/shared/messaging/topics';
import { fixedPorts } from '../local/ports.ts';
import type { BuiltService } from './build-services.ts';

type Json = Record<string, unknown>;

/** Publishers of each kind, and when they publish (contract 6.3). */
export const published: Record<EventKind, readonly [service: string, when: string]> = {
  OrderCreated: ['order', 'An order was stored.'],
  StockReserved: ['inventory', 'All items of an order are reserved.'],
  StockRejected: ['inventory', 'There is too little stock, or no such product.'],
  OrderPaid: ['payment', 'An order is paid.'],
  PaymentFailed: ['payment', 'The payment was declined.'],
  StockReleased: ['inventory', 'Reserved stock was released.'],
  OrderCancelled: ['order', 'An order was cancelled by its owner, or was pending for too long.'],
  PaymentRefunded: ['payment', 'The payment of a cancelled order was refunded.'],
  OrderShipped: ['order', 'An order was shipped.'],
};

const kinds = Object.keys(payloads) as EventKind[];
const text = (description: string, more: Json = {}) => ({ type: 'string', description, ...more });
const uuid = { format: 'uuid' };
const time = { format: 'date-time' };

/** CloudEvents 1.0 in Kafka's binary mode (contract 6.4). */
const headersOf = (kind: EventKind) => ({
  type: 'object',
  required: ['ce_specversion', 'ce_id', 'ce_type', 'ce_source', 'ce_time', 'content-type'],
  properties: {
    ce_specversion: { const: '1.0' },
    ce_id: text('Id of the event; a consumer that has handled it skips it.', uuid),
    ce_type: { const: kind },
    ce_source: { const: `/store/${published[kind][0]}` },
    ce_time: text('When it happened.', time),
    'content-type': { const: 'application/json' },
    traceparent: text('Trace of the request that caused it.'),
  },
});

/** Headers that a dead letter adds to those of its message (contract 6.7). */
const ofDeadLetters = {
  dlq_group: text('The group whose handler failed.'),
  dlq_attempts: text('Number of attempts; 1 for poison.', { pattern: '^\\d+$' }),
  dlq_error: text('The reason, at most 1000 characters.'),
  dlq_topic: text('Where the message was read.'),
  dlq_partition: text('Where the message was read.', { pattern: '^\\d+$' }),
  dlq_offset: text('Where the message was read.', { pattern: '^\\d+$' }),
  dlq_time: text('When it first became a dead letter.', time),
};

/** The AsyncAPI 3 document of the topics, from the schemas of the events and the groups of the services. */
export function asyncDocument(services: BuiltService[], version: string) {
  const schemas: Json = {};
  const messages = Object.fromEntries(
    kinds.map((kind) => [
      kind,
      {
        name: kind,
        summary: published[kind][1],
        headers: headersOf(kind),
        payload: jsonSchema(payloads[kind], schemas),
        bindings: { kafka: { key: text('The order id, so that the events of one order are in one partition.', uuid) } },
      },
    ]),
  );
  const deadLetter = {
    name: 'DeadLetter',
    summary: 'A message that a group could not handle, unchanged, with the reason in its headers.',
    headers: { type: 'object', required: Object.keys(ofDeadLetters), properties: ofDeadLetters },
    // As it was: it may be no event at all, or have been left out because it is too large.
    payload: { description: 'The value of the message.' },
  };
  const senders = [...new Set(kinds.map((kind) => published[kind][0]))];
  const operations = [
    ...senders.map((name) =>
      operation(
        'send',
        name,
        kinds.filter((kind) => published[kind][0] === name),
      ),
    ),
    ...services
      .filter((service) => service.kinds.length > 0)
      .flatMap(({ name, kinds: handled }) => [operation('receive', name, handled), deadLetters(name)]),
  ];
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Store Platform: events',
      version,
      description:
        'Events of orders. Changes are additive: a new field is optional, anything else is a new kind. Consumers ignore kinds and fields that they do not know. They also read messages of others, without these headers (docs/contract.md, 6.4).',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      local: { host: `localhost:${fixedPorts({}).of('kafka')}`, protocol: 'kafka', description: 'make run' },
      cluster: { host: 'kafka:9092', protocol: 'kafka', description: 'The Kafka of the chart, in its namespace' },
    },
    channels: {
      orderEvents: {
        address: orderEventsTopic,
        messages: Object.fromEntries(kinds.map((kind) => [kind, reference('messages', kind)])),
      },
      deadLetters: { address: deadLetterTopic, messages: { DeadLetter: reference('messages', 'DeadLetter') } },
    },
    operations: Object.fromEntries(operations),
    components: { messages: { ...messages, DeadLetter: deadLetter }, schemas },
  };
}

const reference = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });
const inCamelCase = (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

function operation(action: 'send' | 'receive', service: string, handled: readonly string[]) {
  const channel = { $ref: '#/channels/orderEvents' };
  const messages = handled.map((kind) => ({ $ref: `#/channels/orderEvents/messages/${kind}` }));
  const name = `${inCamelCase(service)}${action === 'send' ? 'Publishes' : 'Handles'}`;
  return [
    name,
    { action, channel, summary: `Events that ${service} ${action === 'send' ? 'publishes' : 'handles'}.`, messages },
  ] as const;
}

function deadLetters(service: string) {
  const channel = { $ref: '#/channels/deadLetters' };
  const summary = `Messages that ${service} could not handle.`;
  return [`${inCamelCase(service)}GivesUp`, { action: 'send', channel, summary }] as const;
}
