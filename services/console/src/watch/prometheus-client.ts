import { tryParse } from '@store/shared/values/errors';
import { request } from 'undici';
import { z } from 'zod';
import type { ConsoleConfig } from '../config.ts';

const timeoutMs = 2_000;

const texts = z.record(z.string(), z.string());
const rule = z.object({
  type: z.string(),
  name: z.string(),
  query: z.string(),
  health: z.string(),
  alerts: z
    .array(
      z.object({
        state: z.string(),
        labels: texts,
        annotations: texts,
        activeAt: z.iso.datetime({ offset: true }),
      }),
    )
    .default([]),
});
/** The part that is read of Prometheus' answer about its rules. */
const rulesIn = z.object({ data: z.object({ groups: z.array(z.object({ rules: z.array(rule) })) }) });
type Rule = z.output<typeof rule>;

export const isOfStore = (alert: string) => /^Store[A-Z]/.test(alert);

export interface PrometheusAlert {
  name: string;
  severity: string;
  summary: string;
  /** When its condition began to hold, in milliseconds since 1970. */
  since: number;
  /** http or https. */
  runbookUrl: string | null;
}

export interface PrometheusAnswer {
  /** Those of the store's namespace, the critical ones first. */
  firing: PrometheusAlert[];
  /** How many alert rules of the store Prometheus evaluates. */
  evaluated: number;
  /** A sentence if alerts may be missing. */
  problem: string | null;
}

export type PrometheusAlerts = ReturnType<typeof createPrometheusAlerts>;

/** Keeps the last answer of a Prometheus about its alerts. */
export function createPrometheusAlerts({
  PROMETHEUS_URL: url,
  PROMETHEUS_NAMESPACE: namespace,
}: Partial<Pick<ConsoleConfig, 'PROMETHEUS_URL' | 'PROMETHEUS_NAMESPACE'>>) {
  let last = unknown('Prometheus has not been asked yet.');
  return {
    /** null without a Prometheus. */
    last: () => (url === undefined ? null : last),
    /** Never fails: a failure replaces the last answer, because old alerts would look like current ones. */
    async ask(): Promise<void> {
      if (url === undefined) return;
      last = await readRules(url).then((rules) => alertsIn(rules, namespace), unknownBecause);
    },
  };
}

const unknown = (problem: string): PrometheusAnswer => ({ firing: [], evaluated: 0, problem });

const unknownBecause = (error: unknown): PrometheusAnswer => unknown(sentenceOf(error));

/** Its rules and not only its alerts: without rules nothing fires either. */
async function readRules(url: string): Promise<Rule[]> {
  const { statusCode, body } = await request(`${url}/api/v1/rules?type=alert`, {
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await body.text();
  if (statusCode !== 200) throw new UnexpectedAnswer(`Prometheus answers with status ${statusCode}.`);
  const { data } = rulesIn.safeParse(tryParse(() => JSON.parse(text)));
  if (data === undefined) throw new UnexpectedAnswer('Prometheus does not answer with a list of rules.');
  return data.data.groups.flatMap(({ rules }) => rules).filter(({ type }) => type === 'alerting');
}

class UnexpectedAnswer extends Error {}

function sentenceOf(error: unknown): string {
  if (error instanceof UnexpectedAnswer) return error.message;
  const { code, name } = error as { code?: unknown; name: string };
  if (name === 'TimeoutError') return `Prometheus has not answered within ${timeoutMs / 1_000} s.`;
  return `Prometheus cannot be reached (${typeof code === 'string' ? code : name}).`;
}

/** @param namespace of the store; undefined: all alerts are the store's */
function alertsIn(rules: Rule[], namespace: string | undefined): PrometheusAnswer {
  const own = rules.filter(
    ({ name, query }) => isOfStore(name) && (namespace === undefined || query.includes(`namespace="${namespace}"`)),
  );
  const failing = [...new Set(own.flatMap(({ name, health }) => (health === 'err' ? name : [])))];
  return {
    firing: rules
      .flatMap(({ name, alerts }) => alerts.map((alert) => ({ name, ...alert })))
      .filter(
        ({ state, labels }) =>
          state === 'firing' &&
          // Of alerts that tell Alertmanager something, such as Watchdog, which always fires.
          labels.severity !== 'none' &&
          (namespace === undefined || (labels.namespace ?? namespace) === namespace),
      )
      .map(toAlert)
      .sort((a, b) => rankOf(a) - rankOf(b) || a.since - b.since),
    // A rule that Prometheus has not evaluated yet is `unknown`.
    evaluated: own.filter(({ health }) => health === 'ok').length,
    problem: failing.length === 0 ? null : `Prometheus cannot evaluate ${failing.join(', ')}.`,
  };
}

const toAlert = ({
  name,
  labels,
  annotations,
  activeAt,
}: { name: string } & Rule['alerts'][number]): PrometheusAlert => ({
  name,
  severity: labels.severity ?? 'unknown severity',
  summary: annotations.summary ?? annotations.description ?? name,
  since: Date.parse(activeAt),
  // The page links to it: no other scheme, such as javascript:.
  runbookUrl: /^https?:\/\//.test(annotations.runbook_url ?? '') ? (annotations.runbook_url ?? null) : null,
});

const severities = ['critical', 'warning'];
/** Critical alerts come first; severities of other rules come last. */
const rankOf = ({ severity }: PrometheusAlert) =>
  severities.includes(severity) ? severities.indexOf(severity) : severities.length;
