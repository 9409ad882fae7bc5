import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonSchema } from '@store/shared/http/openapi';
import { type AccountEventKind, accountPayloads, type EventKind, payloads } from '@store/shared/messaging/events';
import { accountEventsTopic, deadLetterTopic, orderEventsTopic } from '@store/shared/messaging/topics';
import { parse } from 'yaml';
import { root } from '../paths.ts';
import type { BuiltService } from './build-services.ts';

type Json = Record<string, unknown>;

type Kind = EventKind | AccountEventKind;

interface Fixed {
  asyncapi: string;
  info: Json;
  servers: Record<string, { host: string }>;
  published: Record<Kind, [service: string, when: string] | undefined>;
  headers: Json;
  deadLetter: Json;
}

const channels = {
  orderEvents: { address: orderEventsTopic, payloads, key: 'order' },
  accountEvents: { address: accountEventsTopic, payloads: accountPayloads, key: 'account' },
};
type Channel = keyof typeof channels;

const all = Object.keys(channels) as Channel[];
const kindsOf = (channel: Channel) => Object.keys(channels[channel].payloads) as Kind[];
const reference = (...path: string[]) => ({ $ref: `#/${path.join('/')}` });

/** The AsyncAPI 3 document of the topics, from the schemas of the events and the groups of the services. */
export function asyncDocument(services: BuiltService[], version: string) {
  const file = 'tools/api/events.yaml';
  const { published, headers, deadLetter, ...fixed }: Fixed = parse(readFileSync(join(root, file), 'utf8'));
  const publication = (kind: Kind) => {
    const [service, summary] = published[kind] ?? [];
    if (!service || !summary) throw new Error(`${file} does not say who publishes ${kind}, and when.`);
    return { service, summary };
  };
  const schemas: Json = {};
  const messageOf = (kind: Kind, key: string) => {
    const { service, summary } = publication(kind);
    const own = { ce_type: { const: kind }, ce_source: { const: `/store/${service}` } };
    const description = `The ${key} id, so that the events of one ${key} are in one partition.`;
    return {
      name: kind,
      summary,
      headers: {
        type: 'object',
        required: Object.keys(headers).filter((name) => name !== 'traceparent'),
        properties: { ...headers, ...own },
      },
      payload: jsonSchema({ ...payloads, ...accountPayloads }[kind], schemas),
      bindings: { kafka: { key: { type: 'string', description, format: 'uuid' } } },
    };
  };
  const messages = Object.fromEntries(
    all.flatMap((channel) => kindsOf(channel).map((kind) => [kind, messageOf(kind, channels[channel].key)])),
  );
  const publishers = Map.groupBy(all.flatMap(kindsOf), (kind) => publication(kind).service);
  const handling = services.filter(({ kinds }) => kinds.length > 0);
  const ownChannels = all.map((channel) => {
    const references = kindsOf(channel).map((kind) => [kind, reference('components', 'messages', kind)]);
    return [channel, { address: channels[channel].address, messages: Object.fromEntries(references) }];
  });
  const deadLetters = {
    address: deadLetterTopic,
    messages: { DeadLetter: reference('components', 'messages', 'DeadLetter') },
  };
  return {
    ...fixed,
    info: { ...fixed.info, version },
    channels: { ...Object.fromEntries(ownChannels), deadLetters },
    operations: Object.fromEntries([
      ...[...publishers].flatMap(([name, kinds]) => eventOperations('send', name, kinds)),
      ...handling.flatMap(({ name, kinds }) => [...eventOperations('receive', name, kinds), givesUp(name)]),
    ]),
    components: { messages: { ...messages, DeadLetter: deadLetter }, schemas },
  };
}

const inCamelCase = (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** One for each channel that has some of the kinds. */
function eventOperations(action: 'send' | 'receive', service: string, handled: readonly Kind[]) {
  const [verb, does] = action === 'send' ? ['Publishes', 'publishes'] : ['Handles', 'handles'];
  return all.flatMap((channel) => {
    const kinds = handled.filter((kind) => kindsOf(channel).includes(kind));
    if (kinds.length === 0) return [];
    const messages = kinds.map((kind) => reference('channels', channel, 'messages', kind));
    const name = `${inCamelCase(service)}${verb}${channel === 'orderEvents' ? '' : 'Accounts'}`;
    const summary = `Events that ${service} ${does}.`;
    return [[name, { action, channel: reference('channels', channel), summary, messages }] as const];
  });
}

function givesUp(service: string) {
  const summary = `Messages that ${service} could not handle.`;
  const operation = { action: 'send', channel: reference('channels', 'deadLetters'), summary };
  return [`${inCamelCase(service)}GivesUp`, operation] as const;
}
