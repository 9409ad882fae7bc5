import { serviceConfig } from '@store/shared/service/config';
import { runRedrive } from '@store/shared/service/run-redrive';
import { z } from 'zod';
import { brokers } from '../../../../tests/kit/kafka/topic.ts';
import { until } from '../../../../tests/kit/until.ts';
import type { DB } from '../../src/generated/tables.ts';
import { anEvent, type Fixture, times } from './_fixture.ts';

export const broken = async () => {
  throw new Error('broken:\nline 2');
};

interface Circumstances {
  group?: ReturnType<Fixture['consumerGroup']>;
  databaseUrl?: string;
  kafkaBrokers?: string[];
}

/** Runs the dead-letter command as a service's redrive.ts does. */
export async function command(fixture: Fixture, argv: string[], circumstances: Circumstances = {}) {
  const { group, databaseUrl, kafkaBrokers } = {
    group: fixture.consumerGroup(),
    databaseUrl: fixture.database.url,
    kafkaBrokers: brokers,
    ...circumstances,
  };
  const lines: string[] = [];
  const messaging = { KAFKA_TLS: false, RETRY_ATTEMPTS: 1, RETRY_DELAY_MS: 1, RETRY_MULTIPLIER: 1 };
  const config = { ...messaging, KAFKA_BROKERS: kafkaBrokers, DATABASE_URL: databaseUrl };
  const configSchema = z.object({ ...serviceConfig, DATABASE_URL: z.string().default(databaseUrl) });
  const build = () => ({ app: () => undefined, consumer: { group, config } });
  const definition = { name: 'test', configSchema, build };
  const code = await runRedrive<typeof configSchema, DB>(definition, argv, (line) => lines.push(line));
  return { code, text: lines.join('\n') };
}

/** Publishes events that end as dead letters because their handler fails. */
export async function deadLetteredEvents(fixture: Fixture, count: number) {
  const events = times(count, () => anEvent());
  await fixture.publish(...events);
  const consumer = fixture.start(broken, { retry: { attempts: 2, firstDelayMs: 1, multiplier: 1 } });
  await until('all events are dead letters', async () => (await fixture.committed()) === count);
  await consumer.stop();
  return events;
}

/** Deletes what Kafka forgets of a group that is idle for a week: its offsets (contract 6.7). */
export async function forgetGroups(fixture: Fixture): Promise<void> {
  await fixture.withAdmin(async (admin) => {
    const { groups } = await admin.listGroups();
    const own = groups.map(({ groupId }) => groupId).filter((name) => name.startsWith(fixture.group));
    await admin.deleteGroups(own);
  });
}
