import type { Product } from '@store-platform/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { AddToBasket } from '../parts/add-to-basket.tsx';
import { Failure } from '../parts/failure.tsx';
import { Picture } from '../parts/picture.tsx';
import { Select } from '../parts/select.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { useVisit } from '../shop/context.ts';
import { type Endless, useEndless } from '../shop/endless.ts';
import { useLookAgain } from '../shop/look-again.ts';
import { money } from '../shop/money.ts';
import { useLooks, useRenewed } from '../shop/renewed.ts';
import { addressOf, noteQuery, type Route } from '../shop/route.ts';
import { useStock } from '../shop/stock.ts';
import { store } from '../shop/store.ts';

const pageSize = 24;
const typingMs = 250;
/** In code points, which `maxLength` does not count (contract 4.1). */
const longestSearch = 200;
const orders = {
  '': 'Newest first',
  'name,asc': 'By name',
  'price,asc': 'Cheapest first',
  'price,desc': 'Most expensive first',
};

export function CataloguePage({ route }: { route: Route }) {
  const { explain } = useVisit();
  const [text, setText] = useState(route.query.get('q') ?? '');
  const [search, setSearch] = useState(text);
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [sort, setSort] = useState(route.query.get('sort') ?? '');
  const [category, setCategory] = useState(route.query.get('category') ?? '');
  const categories = useCategories(category);
  // The store refuses a search without a letter or digit (contract 4.4).
  const canSearch = search === '' || /[\p{L}\p{N}]/u.test(search);
  const q = canSearch ? [...search].slice(0, longestSearch).join('') : '';

  useEffect(() => {
    setText(route.query.get('q') ?? '');
    setSearch(route.query.get('q') ?? '');
    setSort(route.query.get('sort') ?? '');
    setCategory(route.query.get('category') ?? '');
    // What was typed at another address would replace this one's search.
    return () => clearTimeout(typing.current);
  }, [route]);
  const type = (typed: string) => {
    setText(typed);
    clearTimeout(typing.current);
    typing.current = setTimeout(() => setSearch(typed.trim()), typingMs);
  };
  const address = { q, sort, category };
  useEffect(() => noteQuery('', address), [q, sort, category]);

  // The page's address may contain any sort order; the store refuses unknown ones.
  const order = (sort || 'createdAt,desc') as 'createdAt,desc';
  const query = { size: pageSize, sort: [order], ...(q && { q }), ...(category && { category }) };
  const list = useEndless<Product>((signal) => store.pages('listProducts', { query }, { signal }), pageSize, {
    of: JSON.stringify(query),
    keptAs: 'catalogue',
  });
  // A kept list may be old.
  const looks = useLooks(list.items.length > 0 ? 1 : 0);
  const products = useRenewed(list.items, looks);
  const stock = useStock(
    list.items.map(({ id }) => id),
    looks,
  );
  // Reading again would shrink a longer list to its first page.
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
            value={text}
            aria-describedby="search-note"
            onInput={({ currentTarget }) => type(currentTarget.value)}
          />
          {categories.length > 0 && (
            <Select
              id="category"
              label="Category"
              value={category}
              options={[['', 'All categories'], ...categories.map((name) => [name, name] as const)]}
              onChange={setCategory}
            />
          )}
          <Select
            id="sort"
            label="Order of the products"
            value={sort}
            options={Object.entries(orders)}
            onChange={setSort}
          />
        </search>
      </div>
      <p id="search-note" class="note" role="status">
        {canSearch ? found(list, q) : 'Type a letter or a digit to search for.'}
      </p>
      <Failure sentence={list.error === undefined ? undefined : explain(list.error)} onRetry={() => void list.next()} />
      <ul class={list.isOld ? 'products old' : 'products'} aria-busy={list.busy}>
        {products.map((product) => (
          <ProductCard
            key={product.id}
            product={product}
            pieces={stock.get(product.id)}
            href={addressOf(`products/${product.id}`, address)}
          />
        ))}
      </ul>
      <ShowMore list={list} />
    </>
  );
}

function found({ items, isOld, more, busy }: Endless<Product>, q: string): string {
  if (isOld) return busy ? 'Searching…' : '';
  if (items.length > 0) return q && `Products with “${q}” in their name`;
  if (more) return busy ? 'One moment…' : '';
  return q ? `No product is called “${q}”.` : 'There are no products yet.';
}

/** Categories to choose from, including the chosen one. If the store does not list them, the catalogue works without. */
function useCategories(chosen: string): string[] {
  const [categories, setCategories] = useState<string[]>([]);
  useEffect(() => {
    store.listCategories().then(setCategories, () => undefined);
  }, []);
  return chosen === '' || categories.includes(chosen) ? categories : [chosen, ...categories];
}

interface CardProps {
  product: Product;
  /** Pieces that can still be ordered, if known. */
  pieces: number | undefined;
  /** Address of the product's page. */
  href: string;
}

function ProductCard({ product, pieces, href }: CardProps) {
  const { name, price, unit } = product;
  return (
    <li class="product">
      <Picture product={product} />
      <div class="product-text">
        <h2 dir="auto">
          <a href={href}>{name}</a>
        </h2>
        <p class="unit" dir="auto">
          {unit}
        </p>
        <p class="price">{money(price)}</p>
      </div>
      <AddToBasket product={product} pieces={pieces} />
    </li>
  );
}
