import { createServer } from 'node:http';
import { openDatabase } from '@store/shared/database/database';
import { processEvents } from '@store/shared/messaging/consumer/process';
import { createLog } from '@store/shared/observability/log';
import type { Started } from '@store/shared/service/service';
import { configSchema } from '../../../services/payment/src/config.ts';
import { PrismaClient } from '../../../services/payment/src/generated/client.ts';
import { createPaymentService } from '../../../services/payment/src/service.ts';
import { receivedEvent } from '../../kit/kafka/order-events.ts';
import { listen } from '../../kit/listen.ts';
import { createTestDatabase, queryOnce } from '../../kit/postgres/database.ts';
import { type Payments, persist, secrets, startSurroundings, viewOf } from './_surroundings.ts';

interface InProcess extends Payments {
  /** Lines of the log that have secrets. */
  secretLines: string[];
  cutDatabase(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts two replicas of payment in this process, without Kafka: events are handled at once, and are published by nobody. */
export async function startInProcess(): Promise<InProcess> {
  const surroundings = await startSurroundings();
  const test = await createTestDatabase('payment');
  /** So that the connections of payment can be told from others. */
  const databaseUrl = `${test.url}?application_name=payment`;
  const secretLines: string[] = [];
  const log = createLog('payment', 'trace', {
    write(line) {
      if (secrets.test(line)) secretLines.push(line);
      if (process.env.TEST_LOG !== undefined) process.stdout.write(line);
    },
  });
  const config = configSchema.parse({ DATABASE_URL: databaseUrl, KAFKA_BROKERS: 'unused:1', ...surroundings.env });
  const replicas = [1, 2].map(() => {
    const database = openDatabase(PrismaClient, databaseUrl, 10);
    const { app, consumer, jobs } = createPaymentService({ config, log, database });
    const started: Started[] = jobs.map((job) => job.start(log));
    return { database, app, group: consumer.group, started };
  });
  const [first] = replicas;
  if (first === undefined) throw new Error('There is no replica.');
  const server = createServer(first.app);
  const url = `http://127.0.0.1:${await listen(server)}`;
  let handled = 0;
  return {
    ...surroundings,
    ...viewOf(test.url),
    secretLines,
    unpublished: async () => [],
    url,
    callbacks: { url: `${url}/payments/events`, secret: surroundings.webhookSecret },
    async publish(event) {
      const { group, database } = replicas[handled++ % replicas.length] ?? first;
      await persist(() => processEvents(group, database, [receivedEvent(event)]));
    },
    /** Ends all connections to the database, with the transactions on them. */
    async cutDatabase() {
      await queryOnce(
        test.url,
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'payment'`,
      );
    },
    async stop() {
      server.close().closeAllConnections();
      for (const { database, started } of replicas) {
        for (const one of started) await one.stop();
        await database.close();
      }
      await surroundings.stop();
      await test.drop();
    },
  };
}
