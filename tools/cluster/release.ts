import { gunzipSync } from 'node:zlib';
import type { Cluster } from './api.ts';

// biome-ignore lint/suspicious/noExplicitAny: the chart's schema says what they are
type Values = Record<string, any>;

export interface Release {
  version: number;
  status: string;
  /** The chart's own values, overridden by those of the release. */
  values: Values;
}

/** The newest state of the release, which Helm keeps as gzipped JSON in a Secret. */
export async function readRelease({ core, namespace, release }: Cluster): Promise<Release | undefined> {
  const labelSelector = `owner=helm,name=${release}`;
  const { items } = await core.listNamespacedSecret({ namespace, labelSelector });
  const versionOf = (one: (typeof items)[number]) => Number(one.metadata?.labels?.version);
  const newest = items.sort((a, b) => versionOf(b) - versionOf(a))[0];
  if (!newest) return undefined;
  const text = Buffer.from(newest.data?.release ?? '', 'base64').toString();
  const { chart, config } = JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString());
  return {
    version: versionOf(newest),
    status: newest.metadata?.labels?.status ?? '',
    values: merge(chart.values, config),
  };
}

function merge(base: Values, over: Values | null | undefined): Values {
  const merged = { ...base };
  for (const [name, value] of Object.entries(over ?? {})) {
    const below = merged[name];
    merged[name] = isMap(below) && isMap(value) ? merge(below, value) : value;
  }
  return merged;
}

const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);
