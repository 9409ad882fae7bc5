import { topology } from './topology.ts';

/** The file that make golden writes, as text by path: values that run every service from its sources, all in one image. */
export function skaffoldValues(): Record<string, string> {
  const services = topology.services.map(({ alias, image, entry }, index) => {
    const source = `services/${image}/${entry.replace(/^dist(.+)js$/, 'src$1ts')}`;
    if (index > 0) return `${alias}: { <<: *dev, args: [${source}] }\n`;
    return `${alias}: &dev
  image: dev
  drainSeconds: 0
  args: [${source}]
  # Skaffold copies changed sources into the containers.
  securityContext: { readOnlyRootFilesystem: false }\n`;
  });
  const text = `# For use with presets/dev.yaml in skaffold.yaml: each service runs from its sources, all in one image, and restarts when they
# change. Written by make golden.
${services.join('')}`;
  return { 'k8s/values-skaffold.yaml': text };
}
