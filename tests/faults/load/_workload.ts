import { type Customer, newCustomer, newProduct } from '../../kit/customer.ts';
import { createSend, sendExpecting } from '../../kit/http.ts';
import type { Random } from '../../kit/random.ts';
import type { Fixture } from '../_fixture.ts';

export interface Item {
  productId: string;
  quantity: number;
}

/** An order that a customer will place, and perhaps cancel. */
export interface PlannedOrder {
  customer: Customer;
  items: Item[];
  /** The order is sent twice concurrently and once more afterwards, with the same Idempotency-Key. */
  isRepeated: boolean;
  cancellation?: { when: (typeof cancellationTimes)[number]; method: 'POST' | 'PATCH' | 'DELETE' };
}

/** When to cancel: once certainly paid; before or during the payment; or around the shipment. */
const cancellationTimes = ['paid', 'at once', 'soon', 'late'] as const;

export interface Workload {
  /** Orders to place together: one, or two that contend for the last piece. */
  batches: PlannedOrder[][];
  /** The products that many customers order. */
  products: string[];
  /** The product among them whose stock is set repeatedly. */
  restocked: string;
}

/** INITIAL_STOCK of the run. */
export const ampleStock = 1_000_000;

/** Creates customers, products and stock, and plans orders so that every outcome occurs. */
export async function createWorkload(fixture: Fixture, orders: number, random: Random): Promise<Workload> {
  const { store, report, history } = fixture;
  const gateway = createSend(store.gatewayUrl, 10_000);
  const inventory = createSend(store.url('inventory'));
  const customers: Customer[] = [];
  for (let n = 0; n < 4; n += 1) customers.push(await newCustomer(gateway));
  const [owner] = customers as [Customer];

  async function createProduct(name: string, price: number, pieces?: number): Promise<string> {
    const productId = await newProduct(owner, { name, price, unit: 'piece' });
    if (pieces === undefined) return productId;
    const invokedAt = Date.now();
    await sendExpecting(201, inventory, 'PUT', `/stock/${productId}`, { available: pieces });
    history.stock.push([productId, { action: { kind: 'set', pieces }, invokedAt, respondedAt: Date.now() + 1 }]);
    return productId;
  }

  const contended = Math.max(1, Math.round(orders / 25));
  const tea = await createProduct('Tea', 4.5);
  const cup = await createProduct('Cup', 12);
  const samovar = await createProduct('Samovar', 60_000); // two exceed PAYMENT_DECLINE_ABOVE
  const rare = await createProduct('Rare', 20, Math.ceil(orders / 8)); // a quarter of the orders ask for one

  const batches: PlannedOrder[][] = [];
  for (let n = 0; n < orders - 2 * contended; n += 1) {
    const order: PlannedOrder = {
      customer: customers[random(customers.length)] as Customer,
      isRepeated: n % 3 === 0,
      items: [{ productId: tea, quantity: 1 + random(5) }],
    };
    if (n % 4 === 1) order.items.push({ productId: rare, quantity: 1 });
    if (n % 4 === 2) order.items.push({ productId: cup, quantity: 1 + random(3) });
    if (n % 9 === 4) order.items = [{ productId: samovar, quantity: n % 2 === 0 ? 2 : 1 }];
    if (n % 5 === 2) {
      const method = (['POST', 'PATCH', 'DELETE'] as const)[random(3)] ?? 'POST';
      order.cancellation = { method, when: cancellationTimes[((n - 2) / 5) % cancellationTimes.length] ?? 'soon' };
    }
    batches.push([order]);
  }
  for (let n = 0; n < contended; n += 1) {
    const last = await createProduct(`Last piece ${n}`, 33, 1);
    const [first, offset] = [random(customers.length), 1 + random(customers.length - 1)];
    const pair = [first, (first + offset) % customers.length].map((index) => ({
      customer: customers[index] as Customer,
      items: [{ productId: last, quantity: 1 }],
      isRepeated: false,
    }));
    batches.splice(random(batches.length), 0, pair);
  }
  report(`Workload: ${orders} orders, ${contended} pairs that contend for a last piece`);
  return { batches, products: [tea, cup, samovar, rare], restocked: cup };
}
