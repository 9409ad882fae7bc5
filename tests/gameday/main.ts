import { setTimeout as wait } from 'node:timers/promises';
import { Argument } from 'commander';
import { markdownTable } from 'markdown-table';
import { Tool } from '../../tools/run-command.ts';
import { alertsOf, ruleGroups } from '../kit/observability/alerts.ts';
import { findExporter, howToGetExporter } from '../kit/postgres/postgres-exporter.ts';
import { drill, type Outcome } from './drill.ts';
import { faults, notHere } from './faults/faults.ts';
import { requirePrometheus } from './prometheus.ts';
import { factor } from './rules.ts';
import { setStage } from './stage.ts';

const startedAt = Date.now();
const say = (line: string) =>
  console.log(`${String(Math.round((Date.now() - startedAt) / 1_000)).padStart(5)} s  ${line}`);

// Started processes end with this one (tools/local/components/supervised-process.ts).
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

async function gameday(wanted: string[]): Promise<void> {
  const prometheus = await requirePrometheus();
  const exporter = await findExporter();
  const withoutExporter = `needs postgres_exporter 0.14 or later: ${howToGetExporter}`;
  const isWanted = (alert: string) => wanted.length === 0 || wanted.includes(alert);
  const chosen = faults.filter(({ alerts }) => alerts.some(isWanted));
  const possible = chosen.filter(({ needsExporter }) => exporter || !needsExporter);
  const left = [
    ...Object.entries(notHere),
    ...chosen
      .filter((fault) => !possible.includes(fault))
      .flatMap(({ alerts }) => alerts.map((one) => [one, withoutExporter])),
  ].filter(([alert = '']) => isWanted(alert));
  const all = alertsOf(await ruleGroups());
  const withSeverities = (names: string[]) =>
    all.filter(({ alert }) => names.includes(alert)).map(({ alert, labels }) => `${alert} ${labels.severity}`);

  const pending: Promise<Outcome>[] = [];
  if (possible.length > 0) {
    say(`Ranges and times of the rules are divided by ${factor}`);
    const stage = await setStage({ prometheus, exporter }, say);
    try {
      say(`Prometheus is at ${stage.prometheus.url}`);
      await wait(30_000); // longer than any alert waits before it fires
      const firing = [...(await stage.prometheus.firing())];
      if (firing.length > 0) throw new Error(`Nothing is broken yet, and there fires: ${firing.join(', ')}`);
      for (const fault of possible) {
        pending.push(...(await drill(stage, fault, withSeverities(fault.alerts.filter(isWanted)), say)));
      }
      await Promise.all(pending);
    } finally {
      await stage.stop();
    }
  }
  const outcomes = await Promise.all(pending);
  const seconds = (value?: number) => (value === undefined ? 'no' : `${value} s`);
  console.log(
    `\n${markdownTable([
      ['Alert', 'Broken by', 'Fires after', 'Clears after'],
      ...outcomes.map(({ alert, fault, firedAfter, clearedAfter }) => [
        ...[alert, fault, seconds(firedAfter), seconds(clearedAfter)],
      ]),
    ])}`,
  );
  for (const [alert, reason] of left) console.log(`Not broken: ${alert} (${reason})`);
  process.exit(outcomes.every(({ clearedAfter }) => clearedAfter !== undefined) ? 0 : 1);
}

const names = [...faults.flatMap(({ alerts }) => alerts), ...Object.keys(notHere)];
await new Tool('make gameday')
  .usage('[ARGS="<alerts>"]')
  .description(
    `Starts a store and a real Prometheus with the rules of the chart, breaks a thing for each alert, waits until it fires, mends
it, and waits until it clears. All of it takes half an hour. Ranges and times of the rules are divided by ${factor}.`,
  )
  .addArgument(new Argument('[alerts...]', 'these alone, and no others').choices(names))
  .addHelpText('after', '\nExit code: 0 when every alert has fired and cleared, 1 when one has not.')
  .action(gameday)
  .run();
