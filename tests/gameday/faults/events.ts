import { randomUUID } from 'node:crypto';
import { createPublisher } from '@store/shared/messaging/kafka/publisher';
import { orderEventsTopic } from '@store/shared/messaging/topics';
import { createLog } from '@store/shared/observability/log';
import pg from 'pg';
import type { Store } from '../../../tools/local/store.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { queryOnce } from '../../kit/postgres/database.ts';
import { type Fault, stopping } from './processes.ts';

/** Faults of relays and consumer groups. */
export const eventFaults: Fault[] = [
  {
    name: 'a message is poison',
    alerts: ['StoreDeadLetters'],
    async inject({ store }) {
      await send(store, 'OrderPaid', 1, '{');
      return () => discardAll(store);
    },
  },
  {
    name: 'invoice stops, and 1,500 messages arrive',
    alerts: ['StoreConsumerLag'],
    async inject(stage) {
      const restart = await stopping('invoice')(stage);
      await send(stage.store, 'OrderWrapped', 1_500, '{}'); // skipped unread, as an unknown kind
      return restart;
    },
  },
  {
    name: 'notification cannot reach Kafka',
    alerts: ['StoreConsumerNotInGroup'],
    async inject({ proxy }) {
      await proxy.set('refuse');
      return () => proxy.set('pass');
    },
  },
  {
    name: 'another session holds the lock of the relay of payment',
    alerts: ['StoreRelayInactive'],
    async inject({ store }) {
      const url = store.databaseUrl('payment');
      const [relay] = await queryOnce<{ key: string; pid: number }>(
        url,
        `select ((classid::bigint << 32) | objid::bigint)::text as key, pid
         from pg_locks join pg_stat_activity using (pid)
         where locktype = 'advisory' and datname = current_database() and application_name = 'outbox-relay'`,
      );
      if (relay === undefined) throw new Error('No relay of payment holds a lock.');
      const second = new pg.Client({ connectionString: url });
      await second.connect();
      const locked = second.query('select pg_advisory_lock($1::bigint)', [relay.key]);
      await queryOnce(url, `select pg_terminate_backend(${relay.pid})`);
      await locked;
      return () => second.end();
    },
  },
];

async function send(store: Store, kind: string, count: number, value: string): Promise<void> {
  const publisher = createPublisher({
    brokers: store.kafkaBrokers,
    clientId: 'gameday',
    log: createLog('gameday', 'silent'),
  });
  const headers = () => ({ ce_type: kind, ce_id: randomUUID() });
  const messages = Array.from({ length: count }, () => ({ key: randomUUID(), value, headers: headers() }));
  await publisher.send(orderEventsTopic, messages).finally(publisher.close);
}

/** Decides about all open dead letters. */
async function discardAll(store: Store): Promise<void> {
  const databases = topology.services.flatMap(({ group, database }) => (group && database ? [database] : []));
  for (const database of new Set(databases)) {
    await queryOnce(store.databaseUrl(database), `update dead_letters set status = 'DISCARDED' where status = 'OPEN'`);
  }
}
