import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { root } from '../paths.ts';
import { builtImages } from './images.ts';
import { topology } from './topology.ts';

// skaffold reads static files only. What they say about the services is written into them by make golden.

/** skaffold.yaml with an artifact and a tag for each image, in the profile that runs the images as they are delivered. */
function skaffoldYaml(): string {
  const document = parseDocument(readFileSync(join(root, 'skaffold.yaml'), 'utf8'));
  const artifacts = builtImages.map(({ name, dockerfile }) => {
    const docker = { dockerfile, buildArgs: { SERVICE: name } };
    return document.createNode({ image: `store/${name}`, docker }, { flow: true });
  });
  const tags = builtImages.map(({ name }) => [
    `global.image.tags.${name}`,
    `{{.IMAGE_TAG_store_${name.replaceAll('-', '_')}}}`,
  ]);
  document.setIn(['profiles', 0, 'build', 'artifacts'], artifacts);
  document.setIn(['profiles', 0, 'patches', 1, 'value'], Object.fromEntries(tags));
  return document.toString({ lineWidth: 0 });
}

/** Values with which every service runs from its sources, all of them in one image. */
function valuesYaml(): string {
  const services = topology.services.map(({ alias, image, entry }, index) => {
    const source = `services/${image}/${entry.replace(/^dist(.+)js$/, 'src$1ts')}`;
    if (index > 0) return `${alias}: { <<: *dev, args: [${source}] }\n`;
    return `${alias}: &dev
  image: dev
  drainSeconds: 0
  args: [${source}]
  # Changed sources are copied into the containers.
  securityContext: { readOnlyRootFilesystem: false }\n`;
  });
  return `# What skaffold.yaml adds to presets/dev.yaml: each service runs from its sources, all of them in one image, and restarts when
# they change. Written by make golden.
${services.join('')}`;
}

/** Text by path of the files that make golden writes. */
export const skaffoldFiles = (): Record<string, string> => ({
  'skaffold.yaml': skaffoldYaml(),
  'k8s/values-skaffold.yaml': valuesYaml(),
});
