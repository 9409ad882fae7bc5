import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePort } from '../../tools/free-port.ts';
import { startProcess } from '../../tools/local/components/supervised-process.ts';
import { findOnPath } from '../../tools/local/downloads/provide-tool.ts';
import type { RuleGroup } from '../kit/observability/alerts.ts';
import { factor } from './rules.ts';

export interface Target {
  /** host:port of `/metrics`. */
  address: string;
  service: string;
  pod: string;
  /** A scrape waits for what does not answer: up to 3 s for Kafka, more than one for PostgreSQL. */
  waits?: boolean;
}

interface Alerts {
  data: { alerts: { state: string; labels: Record<string, string> }[] };
}

export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>;

/** PROMETHEUS, else on PATH. @throws Error that says how to get it */
export async function requirePrometheus(): Promise<string> {
  const found = process.env.PROMETHEUS || (await findOnPath('prometheus'));
  if (found) return found;
  throw new Error('prometheus is not on PATH: apt-get install prometheus, or set PROMETHEUS to its path.');
}

/** A Prometheus that scrapes the targets with the labels that the chart's PodMonitors give them. */
export async function startPrometheus(command: string, dir: string, groups: RuleGroup[], targets: Target[]) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'rules.yaml'), stringify({ groups }));
  const job = (name: string, interval: string, scraped: Target[]) => ({
    job_name: name,
    scrape_interval: interval,
    scrape_timeout: interval,
    static_configs: scraped.map(({ address, service, pod }) => ({
      targets: [address],
      labels: { namespace: 'gameday', service, pod },
    })),
    relabel_configs: [{ target_label: 'job', replacement: 'store' }],
  });
  const [slow, fast] = [true, false].map((waits) => targets.filter((target) => waits === Boolean(target.waits)));
  const config = {
    global: { evaluation_interval: '1s' },
    rule_files: ['rules.yaml'],
    scrape_configs: [job('often', '1s', fast ?? []), job('slowly', '4s', slow ?? [])],
  };
  await writeFile(join(dir, 'prometheus.yaml'), stringify(config));
  const prometheus = await startProcess({
    name: 'prometheus',
    command,
    args: [
      `--config.file=${join(dir, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      `--query.lookback-delta=${300 / factor}s`,
    ],
    logDir: dir,
    log: () => undefined,
    ready: async () => (await fetch(`${url}/-/ready`)).ok,
  });

  return {
    ...prometheus,
    url,
    /** Each as `<name> <severity>`, once for all its label sets. */
    async firing(): Promise<Set<string>> {
      const response = await fetch(`${url}/api/v1/alerts`, { signal: AbortSignal.timeout(5_000) });
      const { data }: Alerts = JSON.parse(await response.text());
      const firing = data.alerts.filter(({ state }) => state === 'firing');
      return new Set(firing.map(({ labels }) => `${labels.alertname} ${labels.severity}`));
    },
  };
}
