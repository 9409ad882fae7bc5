import { renderObjects, named as withName } from '../../tools/chart/render.ts';

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
export type Manifest = any;

const renderings = new Map<string, Promise<Manifest[]>>();

/**
 * Renders the chart, once per test file for the same values.
 * @throws Error with Helm's message if the chart refuses the values
 */
export async function manifests(values: object = {}, files: string[] = []) {
  const key = JSON.stringify([values, files]);
  const rendering = renderings.get(key) ?? renderObjects(values, files);
  renderings.set(key, rendering);
  const all = structuredClone(await rendering);
  const named = (kind: string, name: string): Manifest => withName(all, kind, name);
  const podOf = (name: string): Manifest =>
    (named('Deployment', name) ?? named('StatefulSet', name)).spec.template.spec;
  return {
    all,
    named,
    ofKind: (kind: string): Manifest[] => all.filter((one) => one.kind === kind),
    /** The first object of a kind, for names that end in a checksum. */
    one: (kind: string, begin = ''): Manifest =>
      all.find((one) => one.kind === kind && one.metadata.name.startsWith(begin)),
    podOf,
    /** The variables of the first container. */
    envOf: (name: string): Manifest[] => podOf(name).containers[0].env,
    /** All pods and pod templates, by `<kind>/<name>` of their object without a checksum. */
    pods: () => new Map<string, Manifest>(all.flatMap(podIn)),
  };
}

export type Manifests = Awaited<ReturnType<typeof manifests>>;

function podIn(one: Manifest): [string, Manifest][] {
  const { kind, metadata, spec } = one;
  const pod = kind === 'Pod' ? one : (spec?.jobTemplate?.spec.template ?? spec?.template);
  return pod?.spec?.containers ? [[`${kind}/${metadata.name.replace(/-[0-9a-f]{8}$/, '')}`, pod]] : [];
}

/** Every image in the manifests, once. */
export const imagesIn = (all: Manifest[]): string[] => {
  const found = JSON.stringify(all).matchAll(/"image":"([^"]+)"/g);
  return [...new Set([...found].map(([, image = '']) => image))].sort();
};
