import { orderRecordOut, paymentRecordOut, reservationRecordOut } from '@store/shared/contracts/order-record';
import { markdownTable } from 'markdown-table';
import type { z } from 'zod';
import { callService } from '../../operator-client.ts';
import { Tool } from '../../run-command.ts';

type Event = z.output<typeof orderRecordOut>['events'][number];

/** Asks a service for the events that it has published about an order. Returns an empty list if it does not know the order. */
async function eventsOf(service: string, path: string, schema: z.ZodType<{ events: Event[] }>) {
  const record = await callService({ service, path, schema });
  return (record?.events ?? []).map((event) => ({ service, ...event }));
}

async function timeline(order?: string): Promise<void> {
  if (order === undefined) throw new Error('Which order? make timeline ORDER=<id>');
  const id = order.trim().toLowerCase();
  const found = await Promise.all([
    eventsOf('order', `/internal/orders/${id}`, orderRecordOut),
    eventsOf('inventory', `/internal/reservations/${id}`, reservationRecordOut),
    eventsOf('payment', `/internal/payments/${id}`, paymentRecordOut),
  ]);
  const events = found.flat().sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  if (events.length === 0) throw new Error(`There are no events of an order ${order}.`);
  const start = Date.parse(events[0]?.createdAt ?? '');
  const rows = events.map(({ kind, createdAt, service, id, traceId }) => {
    const seconds = (Date.parse(createdAt) - start) / 1000;
    return [kind, createdAt, `+${seconds.toFixed(3)} s`, service, id, traceId ?? ''];
  });
  console.log(markdownTable([['Event', 'Time', 'Since the first', 'Source', 'Event id', 'Trace id'], ...rows]));
}

await new Tool('make timeline')
  .description('Prints the events of an order of the running store, as a Markdown table.')
  .argument('[order]', 'its id')
  .action(timeline)
  .run();
