import { type Product, StoreProblem } from '@store-platform/client';
import { useEffect, useState } from 'preact/hooks';
import { AddToBasket } from '../parts/add-to-basket.tsx';
import { Failure } from '../parts/failure.tsx';
import { Picture } from '../parts/picture.tsx';
import { useVisit } from '../shop/context.ts';
import { money } from '../shop/money.ts';
import { categoryPath } from '../shop/route.ts';
import { useStock } from '../shop/stock.ts';
import { store } from '../shop/store.ts';

export function ProductPage({ id }: { id: string }) {
  const { explain } = useVisit();
  const [product, setProduct] = useState<Product>();
  const [failure, setFailure] = useState<{ sentence: string; isFinal: boolean }>();
  const [looks, setLooks] = useState(0);
  const pieces = useStock([id]).get(id);

  useEffect(() => {
    const stop = new AbortController();
    store.getProduct({ path: { id } }, { signal: stop.signal }).then(setProduct, (error) => {
      if (stop.signal.aborted) return;
      const isFinal = error instanceof StoreProblem && error.status === 404;
      setFailure({ sentence: isFinal ? 'There is no such product.' : explain(error), isFinal });
    });
    return () => stop.abort();
  }, [looks]);

  function tryAgain(): void {
    setFailure(undefined);
    setLooks((before) => before + 1);
  }

  return (
    <>
      <p class="back">
        <a href="#/">← Catalogue</a>
      </p>
      <Failure sentence={failure?.sentence} onRetry={failure?.isFinal ? undefined : tryAgain} />
      {!product && !failure && <p class="waiting">One moment…</p>}
      {product && <Details product={product} pieces={pieces} />}
    </>
  );
}

function Details({ product, pieces }: { product: Product; pieces: number | undefined }) {
  const { name, price, unit, description, category, images } = product;
  return (
    <article class="product-page" aria-labelledby="product-title">
      <div>
        <Picture product={product} />
        <ul class="pictures">
          {images.slice(1).map(({ url, alt }) => (
            <li key={url}>
              <img class="artwork" src={url} alt={alt} loading="lazy" />
            </li>
          ))}
        </ul>
      </div>
      <div>
        <h1 id="product-title" tabIndex={-1}>
          {name}
        </h1>
        <p class="price">
          {money(price)} <span class="unit">{unit}</span>
        </p>
        {category && (
          <p>
            <a href={categoryPath(category)}>{category}</a>
          </p>
        )}
        <AddToBasket product={product} pieces={pieces} />
        {description && <p class="description">{description}</p>}
      </div>
    </article>
  );
}
