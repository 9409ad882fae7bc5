import type { Product } from '@store-platform/client';
import { useState } from 'preact/hooks';
import { Artwork } from './artwork.tsx';

/** Shows the first picture of a product, or a made one. Where it is beside the name, it says nothing more to readers. */
export function Picture({ product }: { product: Product }) {
  const [isMissing, setMissing] = useState(false);
  const [image] = product.images;
  if (image === undefined || isMissing) return <Artwork name={product.name} />;
  return <img class="artwork" src={image.url} alt={image.alt} loading="lazy" onError={() => setMissing(true)} />;
}
