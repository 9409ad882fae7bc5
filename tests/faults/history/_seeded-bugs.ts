import type { HttpResponse, Send } from '../../kit/http.ts';
import type { Fixture } from '../_fixture.ts';
import type { PlannedOrder } from '../load/_workload.ts';

/** Violations that the checker must find after `seedBugs` has changed the running store. */
export const foundBugs = {
  'an idempotency key is honoured twice': /^The history of Idempotency-Key /,
  'an order is read from a stale copy': /^The history of order .*which allows none of\n.*"kind":"read"/s,
  'an update of the stock is lost': /^The history of stock of product /,
  'a refund is lost': /^The history of order .*which allows none of\n[^\n]*"kind":"settle"[^\n]*$/s,
};

/** Seeds four bugs into the store; all except the stale copy go into its databases. */
export async function seedBugs({ rows }: Fixture, batches: PlannedOrder[][]): Promise<PlannedOrder[][]> {
  await rows(
    'order',
    `create function forget() returns trigger language plpgsql as $$
       begin delete from idempotency_keys where key = new.key; return null; end $$;
     create trigger forget after insert on idempotency_keys for each row execute function forget()`,
  );
  await rows(
    'inventory',
    `create function ignore() returns trigger language plpgsql as $$ begin return old; end $$;
     create trigger ignore_release before update on stock for each row
       when (new.available > old.available) execute function ignore()`,
  );
  await rows(
    'payment',
    `create function lose() returns trigger language plpgsql as $$ begin return null; end $$;
     create trigger lose_refund before insert on outbox for each row
       when (new.kind = 'PaymentRefunded') execute function lose()`,
  );
  return batches.map((batch) =>
    batch.map((order) => {
      // A lost refund is the only fault of these orders. Several, because on a busy machine some are shipped before they are cancelled.
      const { cancellation } = order;
      if (cancellation !== undefined) return { ...order, cancellation: { ...cancellation, when: 'paid' as const } };
      return { ...order, customer: { ...order.customer, send: throughStaleCopy(order.customer.send) } };
    }),
  );
}

/** Makes every second GET of an order show it as it was placed. */
function throughStaleCopy(send: Send): Send {
  const placed = new Map<string, HttpResponse>();
  const requests = new Map<string, number>();
  return async (method, path, ...rest) => {
    const count = requests.get(path) ?? 0;
    requests.set(path, count + 1);
    const stored = placed.get(path);
    if (method === 'GET' && stored !== undefined && count % 2 === 1) return stored;
    const response = await send(method, path, ...rest);
    if (response.status === 201) placed.set(`/orders/${response.body.id}`, { ...response, status: 200 });
    return response;
  };
}
