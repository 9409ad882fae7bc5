import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPublisher } from '@store/shared/messaging/kafka/publisher';
import { orderEventsTopic } from '@store/shared/messaging/topics';
import { createLog } from '@store/shared/observability/log';
import { type Store, startStore } from '../../../tools/local/store.ts';
import { type Payments, persist, startSurroundings, viewOf } from './_surroundings.ts';

export type PaymentProcesses = Payments & { store: Store; stop(hasFailed: boolean): Promise<void> };

/** Starts payment as a process, with its database and Kafka. */
export async function startProcesses(report: (line: string) => void): Promise<PaymentProcesses> {
  const dir = await mkdtemp(join(tmpdir(), 'store-payments-'));
  await chmod(dir, 0o711); // started by root, the database server runs as another user
  const surroundings = await startSurroundings();
  const store = await startStore({
    dir,
    ports: 'free',
    components: ['payment'],
    env: { ...surroundings.env, RETRY_DELAY_MS: '100' },
    postgresSettings: { fsync: 'off' }, // processes are killed here, not the machine
    log: report,
  });
  const log = createLog('test', 'silent');
  const publisher = createPublisher({ brokers: store.kafkaBrokers, clientId: 'test', log });
  return {
    ...surroundings,
    ...viewOf(store.databaseUrl('payment')),
    store,
    callbacks: { url: `${store.url('payment')}/payments/events`, secret: surroundings.webhookSecret },
    publish({ id, kind, key, payload, traceparent }) {
      const headers = { ce_id: id, ce_type: kind, ...(traceparent && { traceparent }) };
      return persist(() => publisher.send(orderEventsTopic, [{ key, value: payload, headers }]));
    },
    async stop(hasFailed) {
      await publisher.close();
      await store.stop();
      await surroundings.stop();
      if (hasFailed) report(`Data and logs are kept in ${dir}`);
      else await rm(dir, { recursive: true, force: true });
    },
  };
}
