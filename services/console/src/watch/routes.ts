import { entityTag } from '@store/shared/http/precondition';
import { type AnyRoute, ok, route } from '@store/shared/http/route';
import { stringifyJson } from '@store/shared/values/json';
import { byOperator } from '../by-operator.ts';
import type { History } from './history.ts';
import { overviewOf } from './overview.ts';
import type { PrometheusAlerts } from './prometheus-client.ts';
import { nowIn, nowOut } from './schemas.ts';

export function nowRoutes(history: History, alerts: PrometheusAlerts): AnyRoute[] {
  return [
    route({
      ...byOperator,
      method: 'get',
      path: '/api/now',
      operationId: 'showNow',
      summary: 'Show the last 15 minutes, alerts and the state of every process, or only what has changed since',
      tag: 'now',
      standsAlone: true,
      query: nowIn,
      responses: { 200: { description: 'A point for every five seconds.', body: nowOut } },
      handler({ query: { after = 0, version } }) {
        const points = history.points().filter(({ at }) => at > after);
        const states = { replicas: history.states() };
        const current = entityTag(stringifyJson(states));
        return ok({
          version: current,
          points,
          alerts: overviewOf(alerts.last(), history.points().at(-1), states.replicas),
          problems: history.problems(),
          ...(current !== version && states),
        });
      },
    }),
  ];
}
