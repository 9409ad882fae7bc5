import { maxCounted } from '@store/shared/database/read-page';
import { isOfStore, type PrometheusAlert, type PrometheusAnswer } from './prometheus-client.ts';
import type { Overview, Point, ReplicaState } from './schemas.ts';

type Item = Overview['items'][number];

/**
 * Says which alerts fire. Where nobody evaluates the store's alert rules, it adds the facts: numbers of the last look, without a judgement.
 * @param alerts null without a Prometheus
 * @param point undefined before the first look
 */
export function overviewOf(
  alerts: PrometheusAnswer | null,
  point: Point | undefined,
  replicas: ReplicaState[],
): Overview {
  const facts = () => factsOf(point, replicas);
  if (alerts === null) {
    const verdict =
      'PROMETHEUS_URL names no Prometheus, so nobody evaluates alert rules. The console sees these numbers.';
    return { tone: 'note', verdict, items: facts() };
  }
  const { firing, evaluated, problem } = alerts;
  const items = firing.map(toItem);
  if (problem !== null) return { tone: 'bad', verdict: problem, items: [...items, ...facts()] };
  if (evaluated === 0) {
    const verdict = 'Prometheus evaluates no alert rules of the store. The console sees these numbers.';
    return { tone: 'bad', verdict, items: [...items, ...facts()] };
  }
  const rules = `Prometheus evaluates ${evaluated} alert rules of the store`;
  if (firing.length === 0) return { tone: 'good', verdict: `${rules}, and no alert fires.`, items };
  return { tone: 'bad', verdict: `${rules}. Alerts that fire: ${firing.length}`, items };
}

const pages: Record<string, Item['page']> = { StoreDeadLetters: 'dead-letters', StoreOrdersStuck: 'orders' };

/** The console has the runbooks of the store's own alerts. */
function toItem({ name, summary, severity, since, runbookUrl }: PrometheusAlert): Item {
  const isOwn = isOfStore(name);
  return {
    ...{ name, text: summary, severity, since },
    page: pages[name] ?? null,
    runbook: isOwn ? name : null,
    runbookUrl: isOwn ? null : runbookUrl,
  };
}

function factsOf(point: Point | undefined, replicas: ReplicaState[]): Item[] {
  const ill = replicas.filter(({ state }) => state !== 'UP');
  const names = ill.map(({ service, state }) => `${service} ${state}`).join(', ');
  const { letters = null, stuck = null, lag = {}, outbox = {} } = point ?? {};
  return [
    fact(
      'Processes that are not ready',
      'StoreComponentUnavailable',
      replicas.length === 0 ? null : ill.length,
      `${ill.length} of ${replicas.length}${names && ` (${names})`}`,
    ),
    fact('Open dead letters', 'StoreDeadLetters', letters, count(letters)),
    fact('Stuck orders', 'StoreOrdersStuck', stuck, `${stuck === maxCounted ? 'at least ' : ''}${count(stuck)}`),
    factByName('Lag in messages', 'StoreConsumerLag', lag, count),
    factByName('Age of the oldest event in an outbox', 'StoreOutboxAge', outbox, (age) => `${age.toFixed(1)} s`),
  ];
}

const count = (value: number | null) => (value ?? 0).toLocaleString('en');

/**
 * @param alert its runbook and page are shown if there is anything
 * @param value null if nobody has told it
 */
const fact = (name: string, alert: string, value: number | null, text: string): Item => ({
  name,
  text: `${name}: ${value === null ? 'unknown' : text}`,
  severity: null,
  since: null,
  page: (value ?? 0) > 0 ? (pages[alert] ?? null) : null,
  runbook: (value ?? 0) > 0 ? alert : null,
  runbookUrl: null,
});

/** Names what is above 0, the highest first. */
function factByName(name: string, alert: string, values: Record<string, number>, format: (value: number) => string) {
  const sorted = Object.entries(values).sort(([, a], [, b]) => b - a);
  const above = sorted.filter(([, value]) => value > 0).map(([key, value]) => `${key} ${format(value)}`);
  return fact(name, alert, sorted[0]?.[1] ?? null, above.join(', ') || '0');
}
