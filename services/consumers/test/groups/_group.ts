import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { openDatabase } from '@store/shared/database/database';
import { kindsOf } from '@store/shared/messaging/consumer/group';
import { processEvents } from '@store/shared/messaging/consumer/process';
import type { StoredEvent } from '@store/shared/messaging/events';
import { createLog } from '@store/shared/observability/log';
import request from 'supertest';
import { paginate } from '../../../../tests/kit/http.ts';
import { receivedEvent, storedEvent } from '../../../../tests/kit/kafka/order-events.ts';
import { testLog } from '../../../../tests/kit/observability/log.ts';
import { configSchema } from '../../src/config.ts';
import { PrismaClient } from '../../src/generated/client.ts';
import type { CreateGroup } from '../../src/group.ts';
import { createGroupService } from '../../src/service.ts';
import { customerId } from '../consumer/_fixture.ts';

const folder = new URL('../../src/groups/', import.meta.url);

/** By the name of the group, as in CONSUMER_GROUP. */
export const groups: Record<string, CreateGroup> = {};
for (const name of readdirSync(folder)) {
  // One after another: Jest's module loader does not link concurrent imports that share modules.
  groups[`${name}-group`] = (await import(`${folder}${name}/consumer-group.ts`)).createGroup;
}

export const webhookKey = randomBytes(32).toString('base64url');

/** Acts like a process of a group, without the broker. @param expects errors that the test provokes */
export function testGroup(databaseUrl: string, name: string, env: Record<string, string> = {}, expects?: RegExp) {
  const database = openDatabase(PrismaClient, databaseUrl);
  const config = configSchema.parse({
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: 'unused:1',
    CONSUMER_GROUP: name,
    ORDER_URL: 'http://127.0.0.1:1',
    ACCOUNT_URL: 'http://127.0.0.1:1',
    WEBHOOK_KEYS: webhookKey,
    ...env,
  });
  const context = { config, log: testLog(name, expects), database };
  const createGroup = groups[name];
  if (createGroup === undefined) throw new Error(`There is no group ${name}.`);
  const { app, consumer, jobs } = createGroupService(context, createGroup);
  return {
    database,
    prisma: database.prisma,
    app,
    wanted: consumer.group.wanted,
    /** Handles the events of the group's kinds in one transaction, like one chunk. */
    handle: (...events: StoredEvent[]) => {
      const own = events.filter(({ kind }) => kindsOf(consumer.group).has(kind));
      return processEvents(consumer.group, database, own.map(receivedEvent));
    },
    /** @param logTo gets the log lines of the jobs; default: no log */
    startJobs: (logTo?: { write(line: string): void }) =>
      jobs.map((job) => job.start(createLog(name, logTo ? 'trace' : 'silent', logTo))),
    get: (path: string) => request(app).get(path),
    close: database.close,
  };
}

/** The payment of a new order. `more` overrides fields. */
export function paid(more: object = {}): StoredEvent {
  const amount = { amount: 12.75, currency: 'USD' } as never;
  return storedEvent('OrderPaid', { orderId: randomUUID(), customerId, paymentId: randomUUID(), amount, ...more });
}

/** A refund of a part of an order. `more` overrides fields. */
export function partlyRefunded(orderId: string, amount = 1, more: object = {}): StoredEvent {
  const payment = { orderId, customerId, paymentId: randomUUID(), refundId: randomUUID() };
  return storedEvent('RefundIssued', { ...payment, amount: { amount, currency: 'USD' } as never, ...more });
}

export const cancelled = (more: object = {}): StoredEvent =>
  storedEvent('OrderCancelled', { orderId: randomUUID(), customerId, reason: 'why not', ...more });

/** Makes a group store mails to be sent; no mail is sent unless jobs start. */
export const withMails = { SMTP_URL: 'smtp://unused' };

export type TestGroup = ReturnType<typeof testGroup>;

/** All items of a collection. */
export const allOf = async <T>(group: TestGroup, path: string): Promise<T[]> =>
  (await paginate(group.get, path)).flatMap(({ content }) => content);
