import type { Product } from '@store-platform/client';
import { useState } from 'preact/hooks';
import { Artwork } from './artwork.tsx';

/** Shows the first picture of a product, or a generated one, which screen readers ignore since it says no more than the name. */
export function Picture({ product }: { product: Product }) {
  const [isMissing, setMissing] = useState(false);
  const [image] = product.images;
  if (image === undefined || isMissing) return <Artwork name={product.name} />;
  return <img class="artwork" src={image.url} alt={image.alt} loading="lazy" onError={() => setMissing(true)} />;
}
