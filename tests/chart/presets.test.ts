import { costs } from '../../tools/capacity/costs.ts';
import { planFor } from '../../tools/capacity/model.ts';
import { serviceNamed } from '../../tools/topology/topology.ts';
import { type Manifests, manifests } from './_manifests.ts';

// The sizes of the presets against the plan (make capacity), which is computed from what one order was measured to take.

const preset = (name: string) => `charts/store/presets/${name}.yaml`;
const units: Record<string, number> = { m: 1e-3, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };
const amount = (text: string | number): number => {
  const [, digits, unit = ''] = /^([\d.]+)(\w*)$/.exec(String(text)) ?? [];
  return Number(digits) * (units[unit] ?? 1);
};

describe.each([20, 100, 1000])('the preset of %i orders per second', (rate) => {
  let rendered: Manifests;
  let plan: ReturnType<typeof planFor>;
  beforeAll(async () => {
    rendered = await manifests({}, ['prod', 'cloudnative-pg', `prod-${rate}`].map(preset));
    plan = planFor(rate, costs);
  });

  it('has brokers that hold seven days of events, and have a fifth to spare', () => {
    const { spec } = rendered.named('KafkaNodePool', 'brokers');
    expect(spec.replicas).toBeGreaterThanOrEqual(plan.kafka.brokers);
    const [volume] = spec.storage.volumes ?? [spec.storage];
    expect(amount(volume.size) * spec.replicas * 0.8).toBeGreaterThan(plan.kafka.storedBytes);
  });

  it('has a PostgreSQL that holds a month of tables and hours of its log, with the cores for both', () => {
    const { spec } = rendered.named('Cluster', 'store-database');
    expect(amount(spec.storage.size)).toBeGreaterThan(plan.tableBytes.month);
    expect(amount(spec.walStorage.size)).toBeGreaterThan(plan.walBytesPerSecond * 3600 * 4);
    const busy = plan.databases.reduce((total, { cores }) => total + cores, 0);
    expect(amount(spec.resources.requests.cpu)).toBeGreaterThan(busy);
  });

  it('has a PostgreSQL that caches tables in a quarter of its memory', () => {
    const { resources, postgresql } = rendered.named('Cluster', 'store-database').spec;
    const buffers = amount(postgresql.parameters.shared_buffers.replace('GB', 'Gi'));
    expect(buffers).toBe(amount(resources.requests.memory) / 4);
  });

  it('lets each service have the cores that its orders take, before autoscaling ends', () => {
    const tight = plan.services.filter(({ name, cores }) => {
      const deployment = name === 'gateway' ? name : serviceNamed(name).alias;
      const { replicas, template } = rendered.named('Deployment', deployment).spec;
      const { maxReplicas = replicas, metrics } = rendered.named('HorizontalPodAutoscaler', deployment)?.spec ?? {};
      const share = (metrics?.[0].resource.target.averageUtilization ?? 100) / 100;
      return maxReplicas * amount(template.spec.containers[0].resources.requests.cpu) * share < cores;
    });
    expect(tight.map(({ name, cores }) => `${name} takes ${cores.toFixed(2)} cores`)).toEqual([]);
  });
});
