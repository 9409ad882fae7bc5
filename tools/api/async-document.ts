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

/** An operation's name is the service, the action and `suffix`. */
const topics = {
  orderEvents: { address: orderEventsTopic, payloads, key: 'order', suffix: '' },
  accountEvents: { address: accountEventsTopic, payloads: accountPayloads, key: 'account', suffix: 'Accounts' },
};

const reference = (...path: string[]) => ({ $ref: `#/${path.join('/')}` });
const inCamelCase = (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The AsyncAPI 3 document of the topics, from the schemas of the events and the groups of the services. */
export function asyncDocument(services: BuiltService[], version: string) {
  const file = 'tools/api/events.yaml';
  const { published, headers, deadLetter, ...fixed }: Fixed = parse(readFileSync(join(root, file), 'utf8'));
  const required = Object.keys(headers).filter((name) => name !== 'traceparent');
  const handling = services.filter(({ kinds }) => kinds.length > 0);
  const schemas: Json = {};
  const messages: Record<string, Json> = {};
  const operations: Json = {};
  const channels: Record<string, { address: string; messages: Json }> = {};

  for (const [channel, { address, payloads, key, suffix }] of Object.entries(topics)) {
    const publishers = new Map<string, string[]>();
    channels[channel] = { address, messages: {} };
    for (const [kind, schema] of Object.entries(payloads)) {
      const [service, summary] = published[kind as Kind] ?? [];
      if (!service) throw new Error(`${file} does not say who publishes ${kind}, and when.`);
      publishers.set(service, [...(publishers.get(service) ?? []), kind]);
      const own = { ce_type: { const: kind }, ce_source: { const: `/store/${service}` } };
      const description = `The ${key} id, so that the events of one ${key} are in one partition.`;
      messages[kind] = {
        name: kind,
        summary,
        headers: { type: 'object', required, properties: { ...headers, ...own } },
        payload: jsonSchema(schema, schemas),
        bindings: { kafka: { key: { type: 'string', description, format: 'uuid' } } },
      };
      channels[channel].messages[kind] = reference('components', 'messages', kind);
    }
    const operate = (action: 'send' | 'receive', does: string, service: string, kinds: string[]) => {
      operations[`${inCamelCase(`${service}-${does}`)}${suffix}`] = {
        action,
        channel: reference('channels', channel),
        summary: `Events that ${service} ${does}.`,
        messages: kinds.map((kind) => reference('channels', channel, 'messages', kind)),
      };
    };
    for (const [service, kinds] of publishers) operate('send', 'publishes', service, kinds);
    for (const { name, kinds } of handling) {
      const own = kinds.filter((kind) => kind in payloads);
      if (own.length > 0) operate('receive', 'handles', name, own);
    }
  }
  const messagesOf = { DeadLetter: reference('components', 'messages', 'DeadLetter') };
  channels.deadLetters = { address: deadLetterTopic, messages: messagesOf };
  const channel = reference('channels', 'deadLetters');
  for (const { name } of handling) {
    const summary = `Messages that ${name} could not handle.`;
    operations[`${inCamelCase(name)}GivesUp`] = { action: 'send', channel, summary };
  }
  return {
    ...fixed,
    info: { ...fixed.info, version },
    channels,
    operations,
    components: { messages: { ...messages, DeadLetter: deadLetter }, schemas },
  };
}
