import { alertsOf, ruleGroups } from '../kit/observability/alerts.ts';
import { faults, notHere } from './faults/faults.ts';
import { shorten } from './rules.ts';

describe('a game day', () => {
  it('breaks a thing for every alert, once, or says why not', async () => {
    const alerts = new Set(alertsOf(await ruleGroups()).map(({ alert }) => alert));
    expect([...faults.flatMap((fault) => fault.alerts), ...Object.keys(notHere)].sort()).toEqual([...alerts].sort());
  });

  const alert = { alert: 'StoreSlow', for: '10m', labels: { severity: 'warning' as const }, annotations: {} };

  it('divides ranges and the time before an alert fires, and leaves numbers and names as they are', () => {
    const rules = [
      { ...alert, expr: 'rate(x[5m]) > 60 and namespace:y:ratio_rate1h > 14.4' },
      { record: 'namespace:y:ratio_rate3d', expr: 'sum(rate(y[3d])) / sum(rate(z[1h]))' },
    ];
    expect(shorten([{ name: 'store', rules }])).toEqual([
      {
        name: 'store',
        rules: [
          { ...alert, for: '20000ms', expr: 'rate(x[10000ms]) > 60 and namespace:y:ratio_rate1h > 14.4' },
          { record: 'namespace:y:ratio_rate3d', expr: 'sum(rate(y[8640000ms])) / sum(rate(z[120000ms]))' },
        ],
      },
    ]);
  });
});
