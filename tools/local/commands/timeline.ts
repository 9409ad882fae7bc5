import { readRanges, topicRanges } from '@store/shared/messaging/dead-letters/read-range';
import { eventIdOf, kindOf, unlessPoison } from '@store/shared/messaging/events';
import { createKafka } from '@store/shared/messaging/kafkajs/client';
import { readMessage } from '@store/shared/messaging/kafkajs/messages';
import { orderEventsTopic } from '@store/shared/messaging/topics';
import { createLog } from '@store/shared/observability/log';
import { Command } from 'commander';
import { markdownTable } from 'markdown-table';
import { messageOf, runCommand } from '../../run-command.ts';
import { fixedPorts } from '../ports.ts';

interface OrderEvent {
  kind: string;
  time: Date;
  source: string;
  id: string;
  traceId: string;
}

async function eventsOf(order: string): Promise<OrderEvent[]> {
  const brokers = [`127.0.0.1:${fixedPorts().of('kafka')}`];
  const kafka = createKafka({ brokers, clientId: 'make-timeline', log: createLog('timeline', 'silent') });
  const events: OrderEvent[] = [];
  await readRanges({
    kafka,
    topic: orderEventsTopic,
    ranges: await topicRanges(kafka, orderEventsTopic),
    onMessage(partition, raw) {
      const message = readMessage(orderEventsTopic, partition, raw);
      const { key, headers } = message;
      if (key?.toLowerCase() !== order) return;
      events.push({
        kind: unlessPoison(() => kindOf(message)) ?? '(no kind)',
        time: new Date(headers.ce_time ?? Number(raw.timestamp)),
        source: headers.ce_source ?? '',
        id: unlessPoison(() => eventIdOf(message)) ?? '',
        traceId: headers.traceparent?.split('-')[1] ?? '',
      });
    },
  });
  return events;
}

async function timeline(order?: string): Promise<void> {
  if (order === undefined) throw new Error('Which order? make timeline ORDER=<id>');
  const events = await eventsOf(order.trim().toLowerCase());
  if (events.length === 0) throw new Error(`There is no event of an order ${order}.`);
  const start = events[0]?.time.getTime() ?? 0;
  const rows = events.map(({ kind, time, source, id, traceId }) => {
    const seconds = (time.getTime() - start) / 1000;
    return [kind, Number.isNaN(seconds) ? '?' : time.toISOString(), `+${seconds.toFixed(3)} s`, source, id, traceId];
  });
  console.log(markdownTable([['Event', 'Time', 'Since the first', 'Source', 'Event id', 'Trace id'], ...rows]));
}

const command = new Command('make timeline')
  .description('Prints the events of an order of the running store, as a Markdown table.')
  .argument('[order]', 'its id')
  .action((order?: string) => timeline(order));

await runCommand(command, (error) => {
  const message = messageOf(error);
  return message.includes('onnect') ? 'Kafka does not respond: start the store with make run.' : message;
});
