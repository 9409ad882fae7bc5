import { alertsOf, ruleGroups } from '../../../tools/chart/alerts.ts';
import { faults, notHere } from './faults.ts';

it('breaks a thing for every alert, once, or says why not', async () => {
  const alerts = new Set(alertsOf(await ruleGroups()).map(({ alert }) => alert));
  expect([...faults.flatMap((fault) => fault.alerts), ...Object.keys(notHere)].sort()).toEqual([...alerts].sort());
});
