import { randomUUID } from 'node:crypto';
import type { RawMessage } from '@store/shared/messaging/kafka/messages';
import { createPublisher } from '@store/shared/messaging/kafka/publisher';
import { createLog } from '@store/shared/observability/log';
import { serviceNames } from '../../tools/local/ports.ts';
import { type Customer, newCustomer, newProducts } from '../kit/customer.ts';
import { createSend } from '../kit/http.ts';
import { readTopic } from '../kit/kafka/topic.ts';
import { type Otlp, startOtlp } from '../kit/observability/otlp.ts';
import { expressions, missingSeries, readSeries } from '../kit/observability/prometheus.ts';
import { queryOnce } from '../kit/postgres/database.ts';
import { startTestStore, type TestStore, until } from './_store.ts';

let collector: Otlp;
let store: TestStore;
let ada: Customer;
let products: string[];

beforeAll(async () => {
  collector = await startOtlp();
  store = await startTestStore({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '200',
      SHIP_AFTER_SECONDS: '0',
    },
  });
  ada = await newCustomer(createSend(store.gatewayUrl));
  products = await newProducts(ada, 2);
}, 120_000);

afterAll(async () => {
  await store?.stop();
  await collector?.stop();
}, 60_000);

const metricsOf = async (name: string) => (await fetch(`${store.metricsUrl(name)}/metrics`)).text();
const order = () => ({ items: products.map((productId) => ({ productId, quantity: 1 })) });

/** The spans of a paid and shipped order, each as `span < parent`. */
const orderTrace = `
gateway POST < nothing
gateway async auth egress < gateway POST
gateway router order egress < gateway POST
order POST /orders < gateway router order egress
order GET /products < order POST /orders
product GET /products < order GET /products
order-worker publish OrderCreated < order POST /orders
analytics process OrderCreated < order-worker publish OrderCreated
notification process OrderCreated < order-worker publish OrderCreated
inventory process OrderCreated < order-worker publish OrderCreated
inventory GET /products < inventory process OrderCreated
product GET /products < inventory GET /products
inventory publish StockReserved < inventory process OrderCreated
payment process StockReserved < inventory publish StockReserved
payment charge < payment process StockReserved
payment publish OrderPaid < payment charge
analytics process OrderPaid < payment publish OrderPaid
invoice process OrderPaid < payment publish OrderPaid
invoice publish InvoiceIssued < invoice process OrderPaid
notification process OrderPaid < payment publish OrderPaid
order-worker process OrderPaid < payment publish OrderPaid
order-worker ship < order-worker process OrderPaid
order-worker publish OrderShipped < order-worker ship
inventory process OrderShipped < order-worker publish OrderShipped
payment process OrderShipped < order-worker publish OrderShipped
notification process OrderShipped < order-worker publish OrderShipped
order-worker process OrderShipped < order-worker publish OrderShipped`;

it('an order is one trace from the gateway through outbox and Kafka to its shipment', async () => {
  const placed = await ada.send('POST', '/orders?coupon=hidden', order());
  expect(placed.status).toBe(201);
  const findRequest = () =>
    collector.spans.find((span) => span.name === 'POST' && span.attributes['url.path'] === '/orders');
  await until('the gateway has sent its span', async () => findRequest() !== undefined);
  const traceId = findRequest()?.traceId ?? 'none';
  const lines = () => {
    const names = new Map(collector.of(traceId).map(({ spanId, service, name }) => [spanId, `${service} ${name}`]));
    names.set('', 'nothing');
    return collector
      .of(traceId)
      .filter(({ service }) => components.has(service))
      .map(({ spanId, parentId }) => `${names.get(spanId)} < ${names.get(parentId)}`);
  };
  const expected = orderTrace.trim().split('\n').sort();
  const components = new Set(expected.map((line) => line.split(' ')[0]));
  await until('the trace has all its spans', async () => lines().length >= expected.length);
  expect(lines().sort()).toEqual(expected);
  const [request] = collector.of(traceId).filter(({ name }) => name === 'POST /orders');
  expect(request?.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/orders',
    'http.response.status_code': 201,
    'url.path': '/orders',
    'url.scheme': 'http',
    'server.address': expect.stringMatching(/^(localhost|127\.0\.0\.1)$/),
  });
  const attributesOf = (...kinds: number[]) =>
    collector
      .of(traceId)
      .filter(({ service, kind }) => components.has(service) && kinds.includes(kind) && service !== 'gateway')
      .map(({ attributes }) => attributes);
  const [ofServers, ofClients, ofEvents] = [attributesOf(2), attributesOf(3), attributesOf(4, 5)];
  for (const attributes of ofServers)
    expect(Object.keys(attributes)).toEqual(expect.arrayContaining(['http.request.method', 'url.path', 'url.scheme']));
  for (const attributes of ofClients) {
    expect(attributes).toMatchObject({
      'http.request.method': expect.any(String),
      'http.response.status_code': expect.any(Number),
      'server.address': '127.0.0.1',
      'server.port': expect.any(Number),
      'url.full': expect.stringMatching(/^http:/),
    });
  }
  for (const attributes of ofEvents) {
    const name = 'messaging.consumer.group.name' in attributes ? 'process' : 'send';
    expect(attributes).toMatchObject({
      'messaging.system': 'kafka',
      'messaging.destination.name': 'order-events',
      'messaging.operation.name': name,
    });
  }
  expect(Math.min(ofServers.length, ofClients.length, ofEvents.length)).toBeGreaterThan(0);
  expect(JSON.stringify(collector.spans)).not.toContain('hidden');
});

it('alerts and dashboard query only series and labels that the components export', async () => {
  await ada.send('GET', '/external/').catch(() => undefined);
  const series = readSeries((await Promise.all([...serviceNames, 'gateway'].map(metricsOf))).join('\n'));
  // tests/security/tls covers those of TLS.
  const ofDependencies = /^(kafka|strimzi|pg|cnpg|kubelet|kube|barman_cloud|envoy_listener_ssl)_/;
  const all = await expressions();
  expect(all.length).toBeGreaterThan(20);
  expect(missingSeries(all, series, (metric) => !ofDependencies.test(metric))).toEqual([]);
});

const publishers = ['account', 'inventory', 'invoice', 'order-worker', 'payment'];

it('only services with an outbox report whether they publish it', async () => {
  const texts = await Promise.all(serviceNames.map(metricsOf));
  const publishing = texts.map((text) => /^outbox_relay_active /m.test(text));
  expect(serviceNames.filter((_, index) => publishing[index]).sort()).toEqual(publishers);
});

it('consumer_lag_messages covers idle groups and groups without a running consumer', async () => {
  const lagOf = async (group: string, service: string) => {
    const lags = [...(await metricsOf(service)).matchAll(/^consumer_lag_messages\{(.*)\} (\d+)$/gm)];
    const ofGroup = lags.filter(([, labels]) => labels?.includes(`group="${group}"`));
    return { partitions: ofGroup.length, sum: ofGroup.reduce((total, [, , value]) => total + Number(value), 0) };
  };
  await until('invoice-group has no lag', async () => (await lagOf('invoice-group', 'invoice')).sum === 0);
  const idle = await lagOf('payment-group', 'payment');
  expect(idle).toEqual({ partitions: idle.partitions, sum: 0 });
  expect(idle.partitions).toBeGreaterThan(0);
  await store.component('invoice').stop();
  await ada.send('POST', '/orders', order());
  const isExported = async () => (await lagOf('invoice-group', 'inventory')).sum >= 4;
  await until('another service exports the lag of the stopped group', isExported);
  await store.component('invoice').restart();
  await until('the restarted group has no lag', async () => (await lagOf('invoice-group', 'invoice')).sum === 0);
});

it("orders are accepted while Kafka is unavailable, their events are published afterwards, and the events' age is a metric", async () => {
  const ageOf = async () => Number(/^outbox_oldest_unsent_seconds (\S+)$/m.exec(await metricsOf('order-worker'))?.[1]);
  await until('all events are published', async () => (await ageOf()) === 0);
  const kafka = store.component('kafka');
  kafka.kill('SIGSTOP');
  try {
    expect((await ada.send('POST', '/orders', order())).status).toBe(201);
    await until('the unsent event is older than 2 s', async () => (await ageOf()) > 2);
  } finally {
    kafka.kill('SIGCONT');
  }
  await until('the event is published', async () => (await ageOf()) === 0);
});

describe('an OrderCreated by another producer, with only the specified fields', () => {
  const customerId = randomUUID();
  const at = (service: string) => createSend(store.url(service));
  const get = async (service: string, path: string) => (await at(service)('GET', path)).body;
  /** Publishes such an event for an order, with the order's id as the key, and without headers. */
  async function announce(orderId: string, timestamp: string): Promise<void> {
    const log = createLog('other', 'silent');
    const publisher = createPublisher({ brokers: store.kafkaBrokers, clientId: 'other', log });
    const value = JSON.stringify({ orderId, customerId, timestamp });
    await publisher.send('order-events', [{ key: orderId, value } satisfies RawMessage]);
    await publisher.close();
  }

  it('takes an order through every group to CONFIRMED', async () => {
    await store.component('order-worker').stop();
    const items = [{ productId: products[0], quantity: 2 }];
    const { body } = await at('order')('POST', '/orders', { items }, { 'id-account': customerId });
    const orderId = body.id;
    await queryOnce(store.databaseUrl('order'), `delete from outbox where key = '${orderId}'`);
    await store.component('order-worker').restart();
    await announce(orderId, '2001-02-03T04:05:06+00:00');
    const stored = () => get('order', `/internal/orders/${orderId}`);
    await until('the order is CONFIRMED', async () => (await stored()).status === 'CONFIRMED');
    const topic = await readTopic('order-events', store.kafkaBrokers);
    const ofOrder = () => topic.messages.filter(({ key }) => key === orderId).map(({ headers }) => headers);
    await until('the order is shipped', async () => ofOrder().some(({ ce_type: kind }) => kind === 'OrderShipped'));
    await topic.close();
    const sources = Object.fromEntries(ofOrder().map(({ ce_type: kind, ce_source: source }) => [kind, source]));
    const [inventory, payment, order] = ['/store/inventory', '/store/payment', '/store/order'];
    expect(sources).toMatchObject({ StockReserved: inventory, OrderPaid: payment, OrderShipped: order });

    expect(await get('inventory', `/internal/reservations/${orderId}`)).toMatchObject({ customerId, items });
    expect(await get('payment', `/internal/payments/${orderId}`)).toMatchObject({
      status: 'PAID',
      amount: { amount: 2.5, currency: 'USD' },
    });
    const mails = async () => (await get('notification', `/notifications?orderId=${orderId}`)).content;
    const received = `Thank you. We have received your order ${orderId}.`;
    await until('the customer has a message', async () =>
      (await mails()).some(({ text }: { text: string }) => text === received),
    );
    const invoices = async () => (await get('invoice', `/invoices?orderId=${orderId}`)).content;
    await until('there is an invoice', async () => (await invoices()).length === 1);
    const figures = async () =>
      (await get('analytics', '/figures')).content.find(({ day }: { day: string }) => day === '2001-02-03');
    await until('the order is counted', async () => (await figures())?.orders === 1);
  });

  it('becomes a dead letter only if its order is unknown, and is then listed with its kind', async () => {
    const orderId = randomUUID();
    await announce(orderId, new Date().toISOString());
    const letters = async (service: string) => (await get(service, '/internal/dead-letters')).letters;
    await until('inventory has a dead letter', async () => (await letters('inventory')).length > 0);
    expect(await letters('inventory')).toMatchObject([{ orderId, kind: 'OrderCreated', eventId: expect.any(String) }]);
    for (const service of ['order-worker', 'payment', 'notification', 'analytics', 'invoice'])
      expect([service, await letters(service)]).toEqual([service, []]);
  });
});
