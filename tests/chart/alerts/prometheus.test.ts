import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { stringify } from 'yaml';
import { createPrometheusAlerts } from '../../../services/console/src/watch/prometheus-client.ts';
import { freePort } from '../../../tools/free-port.ts';
import { findOnPath } from '../../../tools/local/downloads/provide-tool.mjs';
import { useFolder } from '../../kit/folder.ts';
import { alertsOf, ruleGroups } from '../../kit/observability/alerts.ts';
import { until } from '../../kit/until.ts';

const prometheus = process.env.PROMETHEUS || (await findOnPath('prometheus'));
if (!prometheus) {
  console.log('prometheus is missing: apt-get install prometheus, or set PROMETHEUS to its path.');
}
const dir = useFolder();

(prometheus ? it : it.skip)(
  'the console reads the rules of the chart, and what fires, from Prometheus',
  async () => {
    const groups = await ruleGroups('shop');
    const other = {
      alert: 'KubePodCrashLooping',
      expr: 'label_replace(vector(1), "namespace", "shop", "", "")',
      labels: { severity: 'warning' },
      annotations: { summary: 'A pod restarts', runbook_url: 'https://docs.test/crash' },
    };
    await writeFile(join(dir, 'rules.yaml'), stringify({ groups: [...groups, { name: 'other', rules: [other] }] }));
    await writeFile(join(dir, 'prometheus.yml'), 'global: { evaluation_interval: 1s }\nrule_files: [rules.yaml]\n');
    const port = await freePort();
    const options = [
      '--config.file=prometheus.yml',
      '--storage.tsdb.path=data',
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const running = execa(prometheus || '', options, { cwd: dir, reject: false, all: true });
    try {
      const alerts = createPrometheusAlerts({
        PROMETHEUS_URL: `http://127.0.0.1:${port}`,
        PROMETHEUS_NAMESPACE: 'shop',
      });
      await until('Prometheus has evaluated every rule', async () => {
        await alerts.ask();
        const { evaluated = 0, firing = [] } = alerts.last() ?? {};
        return evaluated === alertsOf(groups).length && firing.some(({ name }) => name === other.alert);
      });
      expect(alerts.last()?.problem).toBeNull();
      expect(alerts.last()?.firing).toContainEqual({
        name: other.alert,
        severity: 'warning',
        summary: 'A pod restarts',
        since: expect.any(Number),
        runbookUrl: 'https://docs.test/crash',
      });
    } finally {
      running.kill();
      await running;
    }
  },
  120_000,
);
