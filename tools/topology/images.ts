import { topology } from './topology.ts';

export interface BuiltImage {
  /** Last part of the image's name; what builds a service finds it in the build argument SERVICE. */
  name: string;
  dockerfile: string;
}

/** Everything that make images and a release build: the services, and shop and toolbox, whether they are installed or not. */
export const builtImages: BuiltImage[] = [
  ...topology.images.map((name) => ({ name, dockerfile: 'services/Dockerfile' })),
  { name: 'shop', dockerfile: 'examples/shop/Dockerfile' },
  { name: 'toolbox', dockerfile: 'tools/toolbox/Dockerfile' },
];
