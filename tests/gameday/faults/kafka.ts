import type { Admin } from 'kafkajs';
import { until } from '../../kit/until.ts';
import { asAdmin, secondBrokerId } from '../second-broker.ts';
import { type Fault, stopping } from './processes.ts';

/** Topics of both brokers, and of the second one alone. */
const [shared, single] = ['gameday-shared', 'gameday-single'] as const;

/** Faults of brokers. The store knows the first one alone, and its topics are there. */
export const kafkaFaults: Fault[] = [
  {
    name: 'one of two brokers stops',
    alerts: ['StoreKafkaOfflinePartitions', 'StoreKafkaUnderMinIsr', 'StoreKafkaUnderReplicated'],
    async inject({ store, startSecondBroker }) {
      const broker = await startSecondBroker();
      await asAdmin(store, async (admin) => {
        const assignments = { [shared]: [1, secondBrokerId], [single]: [secondBrokerId] };
        const topics = Object.entries(assignments).map(([topic, replicas]) => ({
          topic,
          replicaAssignment: [{ partition: 0, replicas }],
          configEntries: [{ name: 'min.insync.replicas', value: String(replicas.length) }],
        }));
        await until('the second broker takes topics', () => admin.createTopics({ topics }));
        await until('both brokers are in sync', async () => (await inSync(admin)) === 2);
      });
      await broker.stop();
      return async () => {
        await broker.restart();
        await asAdmin(store, async (admin) => {
          await until('both brokers are in sync', async () => (await inSync(admin)) === 2);
          await admin.deleteTopics({ topics: [shared, single] });
        });
        await broker.stop();
      };
    },
  },
  {
    name: 'the only controller stops, and with it the only broker that the services know',
    alerts: ['StoreKafkaNoController', 'StoreLagUnknown', 'StoreOutboxAge'],
    async inject(stage) {
      const broker = await stage.startSecondBroker();
      const restart = await stopping('kafka')(stage);
      return async () => {
        await restart();
        await broker.stop();
      };
    },
  },
];

async function inSync(admin: Admin): Promise<number | undefined> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [shared] });
  return topics[0]?.partitions[0]?.isr.length;
}
