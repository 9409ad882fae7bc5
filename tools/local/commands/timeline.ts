import { readRanges, topicRanges } from '@store/shared/messaging/dead-letters/read-range';
import { createKafka, readMessage } from '@store/shared/messaging/kafka';
import { orderEventsTopic } from '@store/shared/messaging/topics';
import { createLog } from '@store/shared/observability/log';
import { Partitioners } from 'kafkajs';
import { fixedPorts } from '../ports.ts';

// make timeline ORDER=<id>: what has happened to an order of the running store, as its topic tells it.

interface Line {
  kind: string;
  time: Date;
  id: string;
  source: string;
  traceId: string;
}

const brokers = [`127.0.0.1:${fixedPorts().kafka}`];
const kafka = createKafka({ brokers, clientId: 'make-timeline', log: createLog('timeline', 'silent') });

/** Of all partitions only the one that has this key. */
async function eventsOf(key: string): Promise<Line[]> {
  const ranges = await topicRanges(kafka, orderEventsTopic);
  const partition = Partitioners.DefaultPartitioner()({
    topic: orderEventsTopic,
    partitionMetadata: ranges.map((range) => ({
      ...{ partitionId: range.partition, leader: 0, replicas: [], isr: [], partitionErrorCode: 0 },
    })),
    message: { key, value: null },
  });
  const lines: Line[] = [];
  await readRanges({
    kafka,
    topic: orderEventsTopic,
    ranges: ranges.filter((range) => range.partition === partition),
    onMessage(_partition, raw) {
      const { key: found, headers } = readMessage(raw);
      if (found !== key) return;
      const {
        ce_type: kind = '(no kind)',
        ce_id: id = '',
        ce_source: source = '',
        ce_time,
        traceparent = '',
      } = headers;
      const time = new Date(ce_time ?? Number(raw.timestamp));
      lines.push({ kind, time, id, source, traceId: traceparent.split('-')[1] ?? '' });
    },
  });
  return lines;
}

function table(lines: Line[]): string {
  const first = lines[0]?.time.getTime() ?? 0;
  const rows = lines.map(({ kind, time, id, source, traceId }) => {
    const since = `+${((time.getTime() - first) / 1000).toFixed(3)} s`;
    return [kind, Number.isNaN(time.getTime()) ? '?' : time.toISOString(), since, source, id, traceId];
  });
  const all = [['event', 'time', 'since', 'source', 'event id', 'trace id'], ...rows];
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

try {
  const order = process.argv[2]?.trim().toLowerCase();
  if (!order) throw new Error('Which order? make timeline ORDER=<id>');
  const lines = await eventsOf(order);
  if (lines.length === 0) throw new Error(`There is no event of an order ${order}.`);
  console.log(table(lines));
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  console.error(reason.includes('onnect') ? 'Kafka does not answer: start the store with make run.' : reason);
  process.exitCode = 1;
}
