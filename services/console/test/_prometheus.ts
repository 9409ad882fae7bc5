export const at = '2026-05-04T12:00:00.123456789Z';

interface RuleOptions {
  namespace?: string;
  health?: string;
  alerts?: object[];
}

/** A rule as Prometheus describes it. */
export const rule = (name: string, { namespace = 'shop', health = 'ok', alerts = [] }: RuleOptions = {}) => ({
  state: alerts.length === 0 ? 'inactive' : 'firing',
  name,
  query: `max by (namespace) (up{job="store",namespace="${namespace}"}) > 0`,
  duration: 120,
  labels: { severity: 'warning' },
  annotations: {},
  alerts,
  health,
  evaluationTime: 0.0002,
  lastEvaluation: at,
  type: 'alerting',
});

/** An alert of a rule as Prometheus describes it. */
export const alert = (
  labels: Record<string, string> = {},
  { state = 'firing', annotations = {}, activeAt = at } = {},
) => ({
  labels: { namespace: 'shop', severity: 'warning', ...labels },
  annotations: { summary: 'It is broken', ...annotations },
  state,
  activeAt,
  value: '1e+00',
});

/** What Prometheus answers. */
export const rulesAnswer = (...rules: object[]) => ({
  status: 'success',
  data: { groups: [{ name: 'store', file: '/etc/prometheus/rules/store.yaml', interval: 30, rules }] },
});
