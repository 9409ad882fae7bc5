import { jsonSchema } from '@store/shared/http/openapi';
import { type AccountEventKind, accountPayloads, type EventKind, payloads } from '@store/shared/messaging/events';
import { accountEventsTopic, deadLetterTopic, orderEventsTopic } from '@store/shared/messaging/topics';
import { fixedPorts } from '../local/ports.ts';
import type { BuiltService } from './build-services.ts';

type Json = Record<string, unknown>;

type Kind = EventKind | AccountEventKind;

/** Publishers of each kind, and when they publish (contract 6.3, 6.10). */
export const published: Record<Kind, readonly [service: string, when: string]> = {
  OrderCreated: ['order', 'An order was stored.'],
  StockReserved: ['inventory', 'All items of an order are reserved.'],
  StockRejected: ['inventory', 'Stock is insufficient, or there is no such product.'],
  OrderPaid: ['payment', 'An order is paid.'],
  PaymentFailed: ['payment', 'The payment was declined.'],
  StockReleased: ['inventory', 'Reserved stock was released.'],
  OrderCancelled: ['order', 'An order was cancelled by its owner, or was pending for too long.'],
  PaymentRefunded: ['payment', 'The payment of a cancelled order was refunded.'],
  OrderShipped: ['order', 'An order was shipped.'],
  AccountRegistered: ['account', 'Somebody has registered.'],
  PasswordResetRequested: ['account', 'Somebody has requested a link to reset a password.'],
  PasswordChanged: ['account', 'A password was changed.'],
  EmailChangeRequested: ['account', 'A customer has asked to change the e-mail address.'],
  EmailChanged: ['account', 'The new e-mail address is in force.'],
  AccountDeleted: ['account', 'An account was deleted: services delete what they keep about the customer.'],
};

const channels = {
  orderEvents: { address: orderEventsTopic, payloads, key: 'order' },
  accountEvents: { address: accountEventsTopic, payloads: accountPayloads, key: 'account' },
};
type Channel = keyof typeof channels;

const kindsOf = (channel: Channel) => Object.keys(channels[channel].payloads) as Kind[];
const all = Object.keys(channels) as Channel[];
const channelOf = (kind: Kind): Channel => (kind in payloads ? 'orderEvents' : 'accountEvents');
const text = (description: string, more: Json = {}) => ({ type: 'string', description, ...more });
const uuid = { format: 'uuid' };
const time = { format: 'date-time' };

/** CloudEvents 1.0 in Kafka's binary mode (contract 6.4). */
const headersOf = (kind: Kind) => ({
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
    all.flatMap(kindsOf).map((kind) => [
      kind,
      {
        name: kind,
        summary: published[kind][1],
        headers: headersOf(kind),
        payload: jsonSchema({ ...payloads, ...accountPayloads }[kind], schemas),
        bindings: { kafka: { key: text(keyText(channels[channelOf(kind)].key), uuid) } },
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
  const kinds = all.flatMap(kindsOf);
  const senders = [...new Set(kinds.map((kind) => published[kind][0]))];
  const operations = [
    ...senders.flatMap((name) =>
      eventOperations(
        'send',
        name,
        kinds.filter((kind) => published[kind][0] === name),
      ),
    ),
    ...services
      .filter((service) => service.kinds.length > 0)
      .flatMap(({ name, kinds: handled }) => [...eventOperations('receive', name, handled), deadLetters(name)]),
  ];
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Store Platform: events',
      version,
      description:
        'Events of orders and accounts. Changes are additive: a new field is optional, anything else is a new kind. Consumers ignore kinds and fields that they do not know. They also read messages of others, without these headers (docs/contract.md, 6.4).',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      local: { host: `localhost:${fixedPorts({}).of('kafka')}`, protocol: 'kafka', description: 'make run' },
      cluster: { host: 'kafka:9092', protocol: 'kafka', description: 'The Kafka of the chart, in its namespace' },
    },
    channels: {
      ...Object.fromEntries(
        all.map((channel) => [
          channel,
          {
            address: channels[channel].address,
            messages: Object.fromEntries(kindsOf(channel).map((kind) => [kind, reference('messages', kind)])),
          },
        ]),
      ),
      deadLetters: { address: deadLetterTopic, messages: { DeadLetter: reference('messages', 'DeadLetter') } },
    },
    operations: Object.fromEntries(operations),
    components: { messages: { ...messages, DeadLetter: deadLetter }, schemas },
  };
}

const keyText = (of: string) => `The ${of} id, so that the events of one ${of} are in one partition.`;
const reference = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });
const inCamelCase = (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** One for each channel that has some of the kinds. */
function eventOperations(action: 'send' | 'receive', service: string, handled: readonly Kind[]) {
  return all.flatMap((channel) => {
    const kinds = handled.filter((kind) => channelOf(kind) === channel);
    if (kinds.length === 0) return [];
    const messages = kinds.map((kind) => ({ $ref: `#/channels/${channel}/messages/${kind}` }));
    const summary = `Events that ${service} ${action === 'send' ? 'publishes' : 'handles'}.`;
    const verb = action === 'send' ? 'Publishes' : 'Handles';
    const name = `${inCamelCase(service)}${verb}${channel === 'orderEvents' ? '' : 'Accounts'}`;
    return [[name, { action, channel: { $ref: `#/channels/${channel}` }, summary, messages }] as const];
  });
}

function deadLetters(service: string) {
  const channel = { $ref: '#/channels/deadLetters' };
  const summary = `Messages that ${service} could not handle.`;
  return [`${inCamelCase(service)}GivesUp`, { action: 'send', channel, summary }] as const;
}
