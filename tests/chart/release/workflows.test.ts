import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../../tools/paths.ts';

interface Job {
  permissions?: Record<string, string>;
  strategy?: { matrix: Record<string, string[]> };
  steps: { uses?: string }[];
}
interface Workflow {
  on: { schedule?: { cron: string }[] };
  jobs: Record<string, Job>;
}

const folder = join(root, '.github/workflows');
const workflow = (file: string): Workflow => parse(readFileSync(join(folder, file), 'utf8'));
const isTrusted = ({ permissions = {} }: Job) => Object.values(permissions).includes('write');

it('what may publish or sign runs actions by their digests', () => {
  const jobs = readdirSync(folder).flatMap((file) => Object.values(workflow(file).jobs));
  const actions = jobs.filter(isTrusted).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
  expect(actions.length).toBeGreaterThan(10);
  expect(actions.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
});

it('the images of the last release are scanned every week', () => {
  expect(workflow('scan.yaml').on.schedule?.[0]?.cron).toMatch(/^\d+ \d+ \* \* [0-6]$/);
});

it('the chart is tested for the oldest Kubernetes that it takes and the newest that is used, with Helm 3 and 4', () => {
  const { kubeVersion } = parse(readFileSync(join(root, 'charts/store/Chart.yaml'), 'utf8'));
  const [, newest] = /kindest\/node:v([\d.]+)/.exec(readFileSync(join(root, 'kind-config.yaml'), 'utf8')) ?? [];
  const { kubernetes = [], helm = [] } = workflow('ci.yaml').jobs.chart?.strategy?.matrix ?? {};
  expect(kubernetes).toEqual([kubeVersion.replace(/^>=(.*)-0$/, '$1'), newest]);
  expect(helm.map((version) => version.slice(0, 2))).toEqual(['v3', 'v4']);
});
