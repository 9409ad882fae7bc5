import type { Product } from '@store-platform/client';
import { useEffect, useState } from 'preact/hooks';
import { Artwork } from '../parts/artwork.tsx';
import { Failure } from '../parts/failure.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { useVisit } from '../shop/context.ts';
import { type Endless, useEndless } from '../shop/endless.ts';
import { useLookAgain } from '../shop/look-again.ts';
import { money } from '../shop/money.ts';
import { noteQuery, type Route } from '../shop/route.ts';
import { store } from '../shop/store.ts';

const pageSize = 24;
const typingMs = 250;
const orders = { '': 'New first', 'name,asc': 'By name', 'price,asc': 'Cheapest first', 'price,desc': 'Dearest first' };

export function CataloguePage({ route }: { route: Route }) {
  const { explain } = useVisit();
  const [text, setText] = useState(route.query.get('q') ?? '');
  const [search, setSearch] = useState(text);
  const [sort, setSort] = useState(route.query.get('sort') ?? '');
  // A search with neither a letter nor a digit is refused (contract 4.4).
  const canSearch = search === '' || /[\p{L}\p{N}]/u.test(search);
  const q = canSearch ? search : '';

  useEffect(() => {
    setText(route.query.get('q') ?? '');
    setSearch(route.query.get('q') ?? '');
    setSort(route.query.get('sort') ?? '');
  }, [route]);
  useEffect(() => {
    const timer = setTimeout(() => setSearch(text.trim()), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => noteQuery('', { q, sort }), [q, sort]);

  // The address of the page may name any order: the store refuses one that it does not know.
  const order = (sort || 'createdAt,desc') as 'createdAt,desc';
  const query = { size: pageSize, sort: [order], ...(q && { q }) };
  const list = useEndless<Product>((signal) => store.pages('listProducts', { query }, { signal }), pageSize, {
    of: JSON.stringify(query),
    keptAs: 'catalogue',
  });
  // A longer list would shrink to its first page.
  const mayLook = list.error !== undefined && !list.busy && (list.isOld || list.items.length <= pageSize);
  useLookAgain(mayLook, () => mayLook && void list.next());

  return (
    <>
      <div class="page-head">
        <h1 tabIndex={-1}>Catalogue</h1>
        <search class="search">
          <label for="q" class="unseen">
            Search products
          </label>
          <input
            id="q"
            type="search"
            placeholder="Search products"
            maxLength={200}
            value={text}
            aria-describedby="search-note"
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <label for="sort" class="unseen">
            Order of the products
          </label>
          <span class="select">
            <select id="sort" value={sort} onChange={({ currentTarget }) => setSort(currentTarget.value)}>
              {Object.entries(orders).map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          </span>
        </search>
      </div>
      <p id="search-note" class="note" role="status">
        {canSearch ? found(list, q) : 'Type a letter or a digit to search for.'}
      </p>
      <Failure sentence={list.error === undefined ? undefined : explain(list.error)} onRetry={() => void list.next()} />
      <ul class={list.isOld ? 'products old' : 'products'} aria-busy={list.busy}>
        {list.items.map((product) => (
          <ProductCard key={product.id} product={product} />
        ))}
      </ul>
      <ShowMore list={list} />
    </>
  );
}

function found({ items, isOld, more, busy }: Endless<Product>, q: string): string {
  if (isOld) return busy ? 'Searching…' : '';
  if (items.length > 0) return q && `Products with “${q}” in their name`;
  if (more) return '';
  return q ? `Nothing is called “${q}”.` : 'There are no products yet: make seed adds some.';
}

function ProductCard({ product }: { product: Product }) {
  const { basket, announce } = useVisit();
  const { name, price, unit } = product;
  const quantity = basket.quantityOf(product.id);
  return (
    <li class="product">
      <Artwork name={name} />
      <div class="product-text">
        <h2>{name}</h2>
        <p class="unit">{unit}</p>
        <p class="price">{money(price)}</p>
      </div>
      <div class="product-foot">
        <button
          type="button"
          aria-label={`Add ${name} to the basket`}
          onClick={() => {
            announce(basket.set(product, quantity + 1) ?? `${name}: ${quantity + 1} in your basket.`);
          }}
        >
          Add
        </button>
        {quantity > 0 && <span class="in-basket">{quantity} in basket</span>}
      </div>
    </li>
  );
}
