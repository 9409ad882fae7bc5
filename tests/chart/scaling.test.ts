import { renderObjects } from '../../tools/chart/render.ts';

const autoscaling = { enabled: true, lag: 100, behavior: { scaleDown: { stabilizationWindowSeconds: 600 } } };
const prometheus = 'http://prometheus.monitoring:9090';

// biome-ignore lint/suspicious/noExplicitAny: resources of several kinds
async function rendered(values: object): Promise<any[]> {
  return renderObjects(values);
}

describe('an autoscaler', () => {
  it('by CPU has the behavior that it is given', async () => {
    const all = await rendered({ gateway: { autoscaling: { enabled: true, behavior: autoscaling.behavior } } });
    expect(all.find(({ kind }) => kind === 'HorizontalPodAutoscaler')).toMatchObject({
      metadata: { name: 'gateway' },
      spec: { minReplicas: 2, maxReplicas: 6, behavior: autoscaling.behavior },
    });
  });

  it('by lag is one of KEDA, for the group and namespace of the consumer', async () => {
    const all = await rendered({ global: { prometheus }, invoice: { autoscaling } });
    expect(all.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')).toEqual([]);
    const { metadata, spec } = all.find(({ kind }) => kind === 'ScaledObject');
    expect(metadata.name).toBe('invoice');
    expect(spec).toEqual({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'invoice' },
      minReplicaCount: 2,
      maxReplicaCount: 6,
      advanced: { horizontalPodAutoscalerConfig: { behavior: autoscaling.behavior } },
      triggers: [
        { type: 'cpu', metricType: 'Utilization', metadata: { value: '70' } },
        {
          type: 'prometheus',
          metadata: {
            serverAddress: prometheus,
            query: 'max(sum by (pod) (consumer_lag_messages{namespace="store", group="invoice-group"}))',
            threshold: '100',
          },
        },
      ],
    });
  });

  it.each([
    ['of what consumes nothing', { product: { autoscaling } }, /product consumes nothing/],
    ['without a Prometheus', { global: { prometheus: '' }, invoice: { autoscaling } }, /needs global.prometheus/],
    [
      'of more replicas than partitions',
      { invoice: { autoscaling: { ...autoscaling, maxReplicas: 7 } } },
      /maxReplicas is 7, but only 6 can consume/,
    ],
  ])('by lag is refused %s', async (_, values, message) => {
    await expect(rendered({ global: { prometheus }, ...values })).rejects.toThrow(message);
  });
});
