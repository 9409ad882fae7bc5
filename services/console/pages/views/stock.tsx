import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { addressOf } from '../pages.ts';
import { Field } from '../parts/form.tsx';
import { Paging } from '../parts/paging.tsx';
import { Answer, money } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import { useTyping } from '../parts/typing.ts';
import { Amount } from './stock/amount.tsx';
import { Export } from './stock/export.tsx';
import { Import } from './stock/import.tsx';
import { ProductForm } from './stock/product-form.tsx';

/** Filters and cursor of the list, from the page's address. */
type Asked = Record<string, string>;

interface StockProps {
  /** Of the product to change; `new` for a new product. */
  id: string | undefined;
  query: URLSearchParams;
}

export function Stock({ id, query }: StockProps) {
  const asked: Asked = Object.fromEntries(query);
  const [done, setDone] = useState<string>();
  const catalogue = useQuery({
    queryKey: ['catalogue'],
    queryFn: () => call('get', '/api/catalogue', {}),
    refetchInterval: 60_000,
  });
  const { currency = '', categories = [] } = catalogue.data ?? {};
  /** Keeps a product that is being changed open. */
  const page = id === undefined ? 'stock' : `stock/${encodeURIComponent(id)}`;
  const ask = (filters: Asked) => {
    location.hash = addressOf(page, { ...asked, after: '', ...filters });
  };
  const [text, setText] = useState(asked.search ?? '');
  const typing = useTyping((search) => ask({ search }), setText);
  useEffect(() => {
    // A space at the end of what is being typed stays.
    if (text.trim() !== (asked.search ?? '')) setText(asked.search ?? '');
  }, [asked.search]);

  function close(sentence: string | undefined) {
    setDone(sentence);
    location.hash = addressOf('stock', asked);
  }
  return (
    <>
      <h1>Stock and products</h1>
      {done !== undefined && (
        <p class="note" role="status">
          {done}
        </p>
      )}
      {id !== undefined && <Editor key={id} id={id} currency={currency} categories={categories} onClose={close} />}
      <search class="search">
        <Field name="product" label="Name of a product" dir="auto" value={text} {...typing} />
        <label for="category">Category</label>
        <select
          id="category"
          value={asked.category ?? ''}
          onChange={({ currentTarget: { value } }) => ask({ category: value })}
        >
          <option value="">All categories</option>
          {categories.map((category) => (
            <option key={category} dir="auto">
              {category}
            </option>
          ))}
        </select>
        <a href={addressOf('stock/new', asked)}>New product</a>
      </search>
      <Products asked={asked} page={page} currency={currency} />
      <Import />
      <Export />
    </>
  );
}

interface EditorProps {
  id: string;
  currency: string;
  categories: string[];
  onClose: (done?: string) => void;
}

/** Keeps the product as it was when opened, even if the list changes. */
function Editor({ id, ...rest }: EditorProps) {
  const isNew = id === 'new';
  const product = useQuery({
    queryKey: ['product', id],
    queryFn: () => call('get', '/api/products/{id}', { path: { id } }),
    enabled: !isNew,
    staleTime: 'static',
    refetchInterval: false,
    gcTime: 0,
  });
  if (isNew) return <ProductForm id={id} product={undefined} {...rest} />;
  return <Answer of={product}>{(data) => <ProductForm id={id} product={data} {...rest} />}</Answer>;
}

interface ProductsProps {
  asked: Asked;
  /** The first part of the address. */
  page: string;
  currency: string;
}

function Products({ asked, page, currency }: ProductsProps) {
  const { search, category, after } = asked;
  const found = useQuery({
    queryKey: ['products', search, category, after],
    queryFn: () => call('get', '/api/products', { query: { search, category, after } }),
    placeholderData: keepPreviousData,
    refetchInterval: 2_000,
  });
  return (
    <Answer of={found}>
      {({ products, next }) => (
        <>
          {products.length === 0 && <p role="status">No product was found.</p>}
          {products.length > 0 && (
            <section class="card" aria-label="Products">
              <Table
                rows={products}
                keyOf={({ id }) => id}
                columns={{
                  Product: ({ name, sku, id }) => (
                    <>
                      <bdi>{name}</bdi>
                      <br />
                      {sku != null && (
                        <>
                          <bdi>{sku}</bdi>
                          <br />
                        </>
                      )}
                      <code>{id}</code>
                    </>
                  ),
                  Category: ({ category }) => <bdi>{category}</bdi>,
                  Price: ({ price, unit }) => (
                    <>
                      {money({ amount: price, currency })} per <bdi>{unit}</bdi>
                    </>
                  ),
                  Available: (product) => <Amount product={product} />,
                  Change: ({ id, name }) => (
                    <a href={addressOf(`stock/${id}`, asked)} aria-label={`Change ${name}`}>
                      Change
                    </a>
                  ),
                }}
              />
              <p class="note">
                To set a stock, press Enter or leave its field. A new price applies to orders placed from then on.
              </p>
            </section>
          )}
          <Paging
            first={after === undefined ? undefined : addressOf(page, { ...asked, after: '' })}
            next={next === null ? undefined : addressOf(page, { ...asked, after: next })}
          />
        </>
      )}
    </Answer>
  );
}
