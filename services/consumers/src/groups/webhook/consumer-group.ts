import type { NewEvent } from '@store/shared/messaging/consumer/group';
import { type EventKind, payloads } from '@store/shared/messaging/events';
import { outgoing } from '@store/shared/outgoing/outgoing';
import { loop } from '@store/shared/values/loop';
import { hourMs } from '@store/shared/values/time';
import type { CreateGroup } from '../../group.ts';
import { rangeOf } from './addresses.ts';
import { deliveries } from './deliveries.ts';
import { addDeliveries, createDeliveryRepository, wantedKinds } from './delivery-repository.ts';
import { createEndpointClient } from './endpoint-client.ts';
import { createEndpointRepository } from './endpoint-repository.ts';
import { createOrderClient } from './order-client.ts';
import { webhookRoutes } from './routes.ts';
import { createSecretBox } from './secrets.ts';

const kinds = Object.keys(payloads) as EventKind[];

/** Tells endpoints of other systems what happens to orders (contract 4.22, Standard Webhooks). */
export const createGroup: CreateGroup = ({ config, database }) => {
  const { WEBHOOK_KEYS: keys, APP_PROFILE, WEBHOOK_PORTS: ports, WEBHOOK_PROXY: proxyUrl } = config;
  const own = config.WEBHOOK_OWN_RANGES.map(rangeOf);
  if (keys === undefined) throw new Error('WEBHOOK_KEYS must be set for webhook-group'); // checked by the configuration
  const publicOnly = APP_PROFILE === 'prod';
  const endpoints = createEndpointRepository(database, createSecretBox(keys));
  const all = createDeliveryRepository(database);
  const client = createEndpointClient({ publicOnly, own, proxyUrl });
  const orderOf = createOrderClient({ baseUrl: config.ORDER_URL ?? '', credential: config.INTERNAL_CREDENTIAL });
  return {
    title: 'Webhook API',
    group: {
      kinds,
      // The healthy endpoint hears of an event within 300 ms of its commit.
      maxWaitMs: 100,
      takesSeveralPerOrder: true,
      // Each becomes a row for each endpoint that wants it, of which there may be 1,000.
      chunkSize: 50,
      wanted: () => wantedKinds(database),
      handle: (events, tx) => addDeliveries(tx, events.map(toSentEvent)),
    },
    routes: webhookRoutes({ endpoints, deliveries: all, rules: { publicOnly, ports, own } }),
    jobs: [
      outgoing(
        database,
        deliveries({
          orderOf,
          secretsOf: endpoints.secretsOf,
          endpoints: client,
        }),
      ),
      loop({ name: 'held deliveries' }, all.releaseHeld),
      loop({ name: 'deliveries of ended webhooks', everyMs: 5_000 }, all.giveUpEnded),
      loop({ name: 'secrets of webhooks', everyMs: 60_000 }, endpoints.reseal),
      loop({ name: 'old deliveries', everyMs: hourMs }, all.cleanUp),
    ],
  };
};

const toSentEvent = ({ event: { id, kind, payload } }: NewEvent<unknown, EventKind>) => ({
  eventId: id,
  orderId: payload.orderId,
  kind,
  at: payload.timestamp,
});
