import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { call } from '../../api/call.ts';
import type { operations } from '../../generated/schema.ts';
import { addressOf } from '../../pages.ts';
import { enteredTime } from '../../parts/clock.ts';
import { amountPattern, Field, textsOf } from '../../parts/form.tsx';
import { Paging } from '../../parts/paging.tsx';
import { Answer } from '../../parts/parts.tsx';
import { OrderTable } from './order-table.tsx';

type Status = NonNullable<NonNullable<operations['listOrders']['parameters']['query']>['status']>;
const statuses = Object.keys({ PENDING: true, CONFIRMED: true, CANCELLED: true } satisfies Record<Status, true>);

/** The orders of all customers, page by page. @param query filters and cursor from the page's address */
export function OrderList({ query }: { query: URLSearchParams }) {
  const given = Object.fromEntries(query);
  const { status, customer, from, to, min, max, currency, after } = given;
  const page = useQuery({
    queryKey: ['orders', query.toString()],
    queryFn: () =>
      call('get', '/api/orders', {
        query: {
          status: status as Status | undefined,
          customer,
          createdFrom: enteredTime(from),
          createdTo: enteredTime(to, 1),
          minTotal: min,
          maxTotal: max,
          currency,
          after,
        },
      }),
    placeholderData: keepPreviousData,
  });
  return (
    <section class="card" aria-label="All orders">
      <h2>
        {customer === undefined ? (
          'All orders'
        ) : (
          <>
            Orders of <bdi>{page.data?.customer ?? 'a customer'}</bdi>
          </>
        )}
      </h2>
      {customer !== undefined && (
        <p>
          <a href={`#/accounts/${customer}`}>Show the account</a>{' '}
          <a href={addressOf('orders', { ...given, customer: '', after: '' })}>Orders of all customers</a>
        </p>
      )}
      <form
        class="filters"
        key={query.toString()}
        onSubmit={(event) => {
          const { currency: typed = '', ...texts } = textsOf(event);
          location.hash = addressOf('orders', { customer: customer ?? '', ...texts, currency: typed.toUpperCase() });
        }}
      >
        <span>
          <label for="status">Status</label>
          <select id="status" name="status">
            <option value="">any</option>
            {statuses.map((one) => (
              <option key={one} selected={one === status}>
                {one}
              </option>
            ))}
          </select>
        </span>
        <span>
          <Field name="from" label="Placed from (UTC)" type="date" defaultValue={from} />
        </span>
        <span>
          <Field name="to" label="Placed until (UTC)" type="date" defaultValue={to} />
        </span>
        <span>
          <Field name="min" label="Total from" {...amountPattern} defaultValue={min} />
        </span>
        <span>
          <Field name="max" label="Total until" {...amountPattern} defaultValue={max} />
        </span>
        <span>
          <Field
            name="currency"
            label="Currency"
            size={4}
            pattern="[A-Za-z]{3}"
            title="three letters, such as USD"
            defaultValue={currency}
          />
        </span>
        <button type="submit">Show</button>
      </form>
      <Answer of={page}>
        {({ orders, next }) => (
          <>
            <OrderTable orders={orders} empty={<p role="status">There is no such order.</p>} />
            <Paging
              first={after === undefined ? undefined : addressOf('orders', { ...given, after: '' })}
              next={next === null ? undefined : addressOf('orders', { ...given, after: next })}
            />
          </>
        )}
      </Answer>
    </section>
  );
}
