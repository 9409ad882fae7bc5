import { serviceNamed } from '../../tools/topology/topology.ts';
import { type Manifests, manifests } from './_manifests.ts';

// Compares the sizes of the presets with the measured cost of one order (docs/scaling.md).

const day = 86_400;
const perOrder = {
  /** In all topics, with three copies, for seven days. */
  kafkaBytes: 2_384 * 3 * 7 * day,
  /** Written in a month. The outbox keeps a week, replies a day, and changes of orders eight days. */
  tableBytes: (4_419 * 7 + 1_689 * 30 + 638 + 374 * 8 + 4_515 * 30) * day,
  walBytes: 19_413,
  postgresCpuMs: 1.7,
  cpuMs: {
    gateway: 0.456,
    order: 0.959,
    'order-worker': 0.617,
    inventory: 0.597,
    payment: 0.536,
    notification: 0.347,
    product: 0.308,
  },
};

const preset = (name: string) => `charts/store/presets/${name}.yaml`;
const units: Record<string, number> = { m: 1e-3, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };
const amount = (text: string | number): number => {
  const [, digits, unit = ''] = /^([\d.]+)(\w*)$/.exec(String(text)) ?? [];
  return Number(digits) * (units[unit] ?? 1);
};

describe.each([20, 100, 1000])('the preset of %i orders per second', (rate) => {
  let rendered: Manifests;
  beforeAll(async () => {
    rendered = await manifests({}, ['prod', 'cloudnative-pg', `prod-${rate}`].map(preset));
  });

  it('has brokers that hold seven days of events with a fifth to spare', () => {
    const { spec } = rendered.named('KafkaNodePool', 'brokers');
    const [volume] = spec.storage.volumes ?? [spec.storage];
    expect(amount(volume.size) * spec.replicas * 0.8).toBeGreaterThan(rate * perOrder.kafkaBytes);
  });

  it('has a PostgreSQL that holds a month of tables and hours of WAL, with enough cores', () => {
    const { spec } = rendered.named('Cluster', 'store-database');
    expect(amount(spec.storage.size)).toBeGreaterThan(rate * perOrder.tableBytes);
    expect(amount(spec.walStorage.size)).toBeGreaterThan(rate * perOrder.walBytes * 3600 * 4);
    expect(amount(spec.resources.requests.cpu)).toBeGreaterThan((rate * perOrder.postgresCpuMs) / 1_000);
  });

  it('has a PostgreSQL that caches tables in a quarter of its memory', () => {
    const { resources, postgresql } = rendered.named('Cluster', 'store-database').spec;
    const buffers = amount(postgresql.parameters.shared_buffers.replace('GB', 'Gi'));
    expect(buffers).toBe(amount(resources.requests.memory) / 4);
  });

  it('lets autoscaling give each service the cores that its orders need', () => {
    const services = Object.entries(perOrder.cpuMs).map(([name, ms]) => ({ name, cores: (rate * ms) / 1_000 }));
    const tight = services.filter(({ name, cores }) => {
      const deployment = name === 'gateway' ? name : serviceNamed(name).alias;
      const { replicas, template } = rendered.named('Deployment', deployment).spec;
      const { maxReplicas = replicas, metrics } = rendered.named('HorizontalPodAutoscaler', deployment)?.spec ?? {};
      const share = (metrics?.[0].resource.target.averageUtilization ?? 100) / 100;
      return maxReplicas * amount(template.spec.containers[0].resources.requests.cpu) * share < cores;
    });
    expect(tight.map(({ name, cores }) => `${name} takes ${cores.toFixed(2)} cores`)).toEqual([]);
  });
});
