// Runs in the image of a service, with its variables, while none of its replicas runs. Moves its group past the last event of each topic.

import { brokerConfig, brokersFrom } from '@store/shared/messaging/config';
import { askAdmin } from '@store/shared/messaging/kafka/admin';
import { accountEventsTopic, orderEventsTopic } from '@store/shared/messaging/topics';
import { createLog } from '@store/shared/observability/log';
import { readConfig } from '@store/shared/values/environment';
import { z } from 'zod';

const config = readConfig(z.object({ ...brokerConfig, CONSUMER_GROUP: z.string() }), process.env);
const broker = { ...brokersFrom(config), clientId: 'restore', log: createLog('restore', 'silent') };
await askAdmin(broker, 60_000, async (admin) => {
  // Topics that its user may see.
  const visible = await admin.listTopics();
  for (const topic of [orderEventsTopic, accountEventsTopic].filter((name) => visible.includes(name))) {
    const ends = (await admin.fetchTopicOffsets(topic)).map(({ partition, high: offset }) => ({ partition, offset }));
    await admin.setOffsets({ groupId: config.CONSUMER_GROUP, topic, partitions: ends });
  }
});
console.log(`${config.CONSUMER_GROUP} skips all events in the topics`);
