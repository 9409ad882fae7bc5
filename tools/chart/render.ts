import { parse } from 'yaml';
import { template } from './helm.ts';

/** The values files of the repository, each after the files that it builds on. */
export const valuesFiles: Record<string, string[]> = {
  default: [],
  dev: ['charts/store/presets/dev.yaml'],
  strimzi: ['charts/store/presets/dev.yaml', 'k8s/values-strimzi.yaml'],
  prod: ['charts/store/presets/prod.yaml'],
  skaffold: ['charts/store/presets/dev.yaml', 'k8s/values-skaffold.yaml'],
};

export const imagesFile = 'tools/chart/images.yaml';

/**
 * Renders what `helm install store charts/store` would apply, with images of a placeholder registry.
 * @throws Error with Helm's message, if the chart refuses the values
 */
export const renderChart = (files: string[] = [], values: object = {}, namespace = 'store') =>
  template('charts/store', [imagesFile, ...files], values, namespace);

/** Objects by their text. Most of them are the same in renderings with different values. */
const known = new Map<string, object>();

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
export const objectsIn = (text: string): any[] =>
  text.split(/^---\n/m).flatMap((document) => {
    const object = known.get(document) ?? parse(document);
    known.set(document, object);
    return object ? [structuredClone(object)] : [];
  });

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
export const named = (objects: any[], wanted: string, name: string): any =>
  objects.find(({ kind, metadata }) => kind === wanted && metadata.name === name);

export const renderObjects = async (values: object = {}, files: string[] = [], namespace?: string) =>
  objectsIn(await renderChart(files, values, namespace));
