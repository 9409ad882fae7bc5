import { topology } from './topology.ts';

/** Text by path of what make golden writes: values with which every service runs from its sources, all of them in one image. */
export function skaffoldValues(): Record<string, string> {
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
  const text = `# What skaffold.yaml adds to presets/dev.yaml: each service runs from its sources, all of them in one image, and restarts when
# they change. Written by make golden.
${services.join('')}`;
  return { 'k8s/values-skaffold.yaml': text };
}
