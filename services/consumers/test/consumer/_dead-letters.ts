import { randomUUID } from 'node:crypto';
import type { Database } from '@store/shared/database/database';
import { createHttpApp } from '@store/shared/http/app';
import type { ConsumerGroup } from '@store/shared/messaging/consumer/group';
import { deadLetterRoutes } from '@store/shared/service/dead-letter-routes';
import request from 'supertest';
import { brokers } from '../../../../tests/kit/kafka/topic.ts';
import { until } from '../../../../tests/kit/until.ts';
import type { PrismaClient } from '../../src/generated/client.ts';
import { anEvent, type Fixture, silent, times } from './_fixture.ts';

export const broken = async () => {
  throw new Error('broken:\nline 2');
};

export const path = '/internal/dead-letters';
export const unknownId = randomUUID();

interface Overrides {
  group?: ConsumerGroup<PrismaClient>;
  database?: Database<PrismaClient>;
  credentials?: string[];
}

/** The HTTP application of a replica of the group's service. */
export function replica(
  fixture: Fixture,
  { group = fixture.consumerGroup(), database = fixture.database, credentials }: Overrides = {},
) {
  const config = { KAFKA_BROKERS: brokers, KAFKA_TLS: false, DATABASE_URL: fixture.databaseUrl } as never;
  return createHttpApp({
    title: 'test',
    routes: deadLetterRoutes({ group, config }, database),
    log: silent.log,
    config: { APP_PROFILE: 'dev', INTERNAL_CREDENTIALS: credentials },
  });
}

/** Requests of an operator to the group's service. */
export function operator(fixture: Fixture, by = 'ann') {
  const get = async (below = '') => (await request(replica(fixture)).get(`${path}${below}`).expect(200)).body;
  const ids = async (): Promise<string[]> => (await get()).letters.map(({ id }: { id: string }) => id).sort();
  return {
    list: () => get(),
    ids,
    redrive: (ids: string[], overrides: Overrides = {}, more = {}) =>
      request(replica(fixture, overrides))
        .post(`${path}/redrive`)
        .send({ ids, by, ...more }),
    /** @returns the outcomes */
    async redriveAll(): Promise<string[]> {
      const { body } = await this.redrive(await ids()).expect(200);
      return body.results.map(({ outcome }: { outcome: string }) => outcome);
    },
    discard: (ids: string[], more = {}) =>
      request(replica(fixture))
        .post(`${path}/discard`)
        .send({ ids, by, reason: 'sent twice', ...more }),
    trail: async () => (await get('/audit')).entries,
  };
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

/** Deletes offsets, as Kafka does if a group is idle for a week (contract 6.7). */
export async function forgetGroups(fixture: Fixture): Promise<void> {
  await fixture.withAdmin(async (admin) => {
    const { groups } = await admin.listGroups();
    const own = groups.map(({ groupId }) => groupId).filter((name) => name.startsWith(fixture.group));
    await admin.deleteGroups(own);
  });
}
