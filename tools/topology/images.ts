import { topology } from './topology.ts';

/**
 * All images that make images and a release build: the services, and shop and toolbox, whether or not they are installed. The
 * name is the last part of the image's name; services/Dockerfile gets it as the build argument SERVICE.
 */
export const builtImages = [
  ...topology.images.map((name) => ({ name, dockerfile: 'services/Dockerfile' })),
  { name: 'shop', dockerfile: 'examples/shop/Dockerfile' },
  { name: 'toolbox', dockerfile: 'tools/toolbox/Dockerfile' },
];

export type BuiltImage = (typeof builtImages)[number];
