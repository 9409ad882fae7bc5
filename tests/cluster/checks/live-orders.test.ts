import { createStore, type OrderEvent } from '@store-platform/client';
import { podsOf } from '../../../tools/cluster/pods.ts';
import { nameOf } from '../../../tools/cluster/rollout.ts';
import { type Customer, newCustomer, newProduct } from '../../kit/customer.ts';
import { createSend, sendExpecting } from '../../kit/http.ts';
import { areAllAvailable, cluster, findGateway, say, until } from '../kit/cluster.ts';

const { core, namespace } = cluster;

let url: string;
let ada: Customer;
let tea: string;

beforeAll(async () => {
  url = await findGateway();
  ada = await newCustomer(createSend(url));
  tea = await newProduct(ada);
}, 120_000);

/** The orders that a customer's page would show, and the connections it needed. */
function follow({ cookie }: Customer) {
  const connections: { status: number; lastEventId: string | null }[] = [];
  const client = createStore({
    url,
    fetch: async (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set('cookie', cookie);
      const answer = await fetch(input, { ...init, headers });
      connections.push({ status: answer.status, lastEventId: headers.get('last-event-id') });
      return answer;
    },
  });
  const events: OrderEvent[] = [];
  const controller = new AbortController();
  let starts = 0;
  const onStart = () => {
    starts += 1;
  };
  const ended = (async () => {
    for await (const event of client.orderEvents({ signal: controller.signal, onStart })) events.push(event);
  })().catch((error: unknown) => error);
  return {
    connections,
    starts: () => starts,
    /** Removes repeats, which a new connection may send (contract 4.11). */
    statusesOf: (order: string) => [
      ...new Set(events.flatMap(({ orderId, status }) => (orderId === order ? [status] : []))),
    ],
    ended,
    close: () => controller.abort(),
  };
}

async function following(customer: Customer) {
  const page = follow(customer);
  await until('the stream is open', async () => expect(page.connections).toMatchObject([{ status: 200 }]), 30);
  return page;
}

async function place(): Promise<string> {
  const order = { items: [{ productId: tea, quantity: 1 }] };
  return (await sendExpecting(201, ada.send, 'POST', '/orders', order)).body.id;
}

const life = ['PENDING', 'CONFIRMED'];

it('a stream misses nothing after its pods die', async () => {
  const page = await following(ada);
  const untilSeen = (order: string) =>
    until(`${order} was seen PENDING and CONFIRMED`, async () => expect(page.statusesOf(order)).toEqual(life), 60);
  try {
    const first = await place();
    await untilSeen(first);
    expect(page.connections).toEqual([{ status: 200, lastEventId: null }]);

    say('deleting the pods of order');
    const second = await place();
    for (const pod of await podsOf(cluster, 'order'))
      await core.deleteNamespacedPod({ name: nameOf(pod), namespace, gracePeriodSeconds: 0 });
    await until('the stream continues where it was', async () =>
      expect(page.connections.slice(1)).toContainEqual({ status: 200, lastEventId: expect.stringMatching(/./) }),
    );
    await untilSeen(second);
    await until('all components are available', areAllAvailable);
    const third = await place();
    await untilSeen(third);
    for (const order of [first, second, third]) expect([order, ...page.statusesOf(order)]).toEqual([order, ...life]);
    expect(page.starts()).toBe(1);
  } finally {
    page.close();
    await page.ended;
  }
});
