import { type Product, StoreProblem } from '@store-platform/client';
import { useEffect, useState } from 'preact/hooks';
import { AddToBasket } from '../parts/add-to-basket.tsx';
import { Failure } from '../parts/failure.tsx';
import { Picture } from '../parts/picture.tsx';
import { useVisit } from '../shop/context.ts';
import { money } from '../shop/money.ts';
import { useLooks } from '../shop/renewed.ts';
import { addressOf } from '../shop/route.ts';
import { useStock } from '../shop/stock.ts';
import { store } from '../shop/store.ts';

/** @param query of the catalogue page that linked here, for the link back */
export function ProductPage({ id, query }: { id: string; query: URLSearchParams }) {
  const { explain } = useVisit();
  const [product, setProduct] = useState<Product>();
  const [failure, setFailure] = useState<{ sentence: string; isFinal: boolean }>();
  const [tries, setTries] = useState(0);
  const looks = useLooks();
  const pieces = useStock([id], looks).get(id);

  useEffect(() => {
    const stop = new AbortController();
    store.getProduct({ path: { id } }, { signal: stop.signal }).then(
      (current) => {
        setProduct(current);
        setFailure(undefined);
      },
      (error) => {
        if (stop.signal.aborted) return;
        const isFinal = error instanceof StoreProblem && error.status === 404;
        if (isFinal) setProduct(undefined);
        setFailure({ sentence: isFinal ? 'There is no such product.' : explain(error), isFinal });
      },
    );
    return () => stop.abort();
  }, [tries, looks]);

  function tryAgain(): void {
    setFailure(undefined);
    setTries((before) => before + 1);
  }

  return (
    <>
      <p class="back">
        <a href={addressOf('', Object.fromEntries(query))}>← Catalogue</a>
      </p>
      {!product && failure && <h1 tabIndex={-1}>Product</h1>}
      <Failure sentence={failure?.sentence} onRetry={failure?.isFinal ? undefined : tryAgain} />
      {!product && !failure && <p class="waiting">One moment…</p>}
      {product && <Details product={product} pieces={pieces} />}
    </>
  );
}

function Details({ product, pieces }: { product: Product; pieces: number | undefined }) {
  const { name, price, unit, description, category, sku, images } = product;
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
        <h1 id="product-title" tabIndex={-1} dir="auto">
          {name}
        </h1>
        <p class="price">
          {money(price)} <bdi class="unit">{unit}</bdi>
        </p>
        {sku && (
          <p class="unit">
            SKU <bdi>{sku}</bdi>
          </p>
        )}
        {category && (
          <p>
            <a href={addressOf('', { category })}>
              <bdi>{category}</bdi>
            </a>
          </p>
        )}
        <AddToBasket product={product} pieces={pieces} />
        {description && (
          <p class="description" dir="auto">
            {description}
          </p>
        )}
      </div>
    </article>
  );
}
