import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStepsOut } from '@store/shared/contracts/payment-step';
import { createPublisher } from '@store/shared/messaging/kafka/publisher';
import { orderEventsTopic } from '@store/shared/messaging/topics';
import { createLog } from '@store/shared/observability/log';
import { type Store, startStore } from '../../../tools/local/store.ts';
import { createRunFolder } from '../_run-folder.ts';
import { type Payments, persist, secrets, startSurroundings, viewOf } from './_surroundings.ts';

export interface PaymentProcesses extends Payments {
  store: Store;
  /** The orders whose steps operators see as OPEN. */
  openOrders(): Promise<string[]>;
  /** Files of logs that have secrets. */
  logsWithSecrets(): Promise<string[]>;
  stop(hasFailed: boolean): Promise<void>;
}

/** Starts payment as a process, with its database and Kafka. */
export async function startProcesses(report: (line: string) => void): Promise<PaymentProcesses> {
  const folder = await createRunFolder('payments');
  const { dir } = folder;
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
  const url = store.url('payment');
  return {
    ...surroundings,
    ...viewOf(store.databaseUrl('payment')),
    store,
    url,
    callbacks: { url: `${url}/payments/events`, secret: surroundings.webhookSecret },
    publish({ id, kind, key, payload, traceparent }) {
      const headers = { ce_id: id, ce_type: kind, ...(traceparent && { traceparent }) };
      return persist(() => publisher.send(orderEventsTopic, [{ key, value: payload, headers }]));
    },
    async openOrders() {
      const orders: string[] = [];
      for (let after = ''; ; ) {
        const answer = await fetch(`${url}/internal/payment-steps?state=open&size=100${after}`);
        const { steps, next } = openStepsOut.parse(await answer.json());
        orders.push(...steps.map(({ orderId }) => orderId));
        if (next === null) return orders;
        after = `&after=${next}`;
      }
    },
    async logsWithSecrets() {
      const files = await readdir(join(dir, 'log'));
      const texts = await Promise.all(files.map((file) => readFile(join(dir, 'log', file), 'utf8')));
      return files.filter((_, index) => secrets.test(texts[index] ?? ''));
    },
    async stop(hasFailed) {
      await publisher.close();
      await store.stop();
      await surroundings.stop();
      await folder.close(hasFailed, report);
    },
  };
}
