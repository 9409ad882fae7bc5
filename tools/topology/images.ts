import { topology } from './topology.ts';

/**
 * Everything that make images and a release build: the services, and shop and toolbox, whether they are installed or not. The
 * name is the last part of the image's; what builds a service finds it in the build argument SERVICE.
 */
export const builtImages = [
  ...topology.images.map((name) => ({ name, dockerfile: 'services/Dockerfile' })),
  { name: 'shop', dockerfile: 'examples/shop/Dockerfile' },
  { name: 'toolbox', dockerfile: 'tools/toolbox/Dockerfile' },
];

export type BuiltImage = (typeof builtImages)[number];
