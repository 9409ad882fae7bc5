import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { alice, as, eventsOf, testApp } from '../_app.ts';

const order = useDatabase('order').open(testApp);
const customer = as(alice, order);
const cancel = (ifMatch: string) => customer.change(id, undefined, { 'if-match': ifMatch });
const remove = (ifMatch: string) => customer.remove(id, { 'if-match': ifMatch });
const change = (version: unknown) => customer.change(id, { status: 'CANCELLED', version });
const expectUnchanged = async () => expect(await eventsOf(order.prisma, id)).toEqual(['OrderCreated']);

let id: string;
let seen: string;
beforeEach(async () => {
  id = await customer.placed();
  seen = (await customer.get(id)).headers.etag ?? '';
});

it('the tag of an order tells whether it is current, and lets it be changed in the state that was seen alone', async () => {
  expect((await customer.get(id, { 'if-none-match': seen })).status).toBe(304);
  expect((await cancel('"another"')).status).toBe(412);
  expect((await remove('"another"')).status).toBe(412);
  await expectUnchanged();
  expect((await cancel(seen)).status).toBe(200);
  const { status, headers } = await customer.get(id, { 'if-none-match': seen });
  expect({ status, isAnother: headers.etag !== seen }).toEqual({ status: 200, isAnother: true });
  expect((await remove(seen)).status).toBe(412);
  expect((await remove(headers.etag ?? '')).status).toBe(204);
});

describe('the version of an order', () => {
  it('counts from 1, one for each change of what is shown', async () => {
    const versions = [];
    for (const data of [{}, { paidAt: new Date() }, { shippedAt: new Date() }, { cancelledAt: new Date() }]) {
      await order.prisma.order.update({ where: { id }, data });
      versions.push((await customer.get(id)).body.version);
    }
    expect(versions).toEqual([1, 2, 3, 4]);
  });

  it('lets it be cancelled if the client has seen it, and 409 by another one', async () => {
    const stale = (version: number) => ({
      type: 'urn:problem:store:stale-version',
      status: 409,
      detail: `It has changed since you read it: its version is ${version}.`,
    });
    await order.prisma.order.update({ where: { id }, data: { status: 'CONFIRMED', paidAt: new Date() } });
    expect((await change(1)).body).toMatchObject(stale(2));
    await expectUnchanged();
    expect((await change(2)).body).toMatchObject({ status: 'CANCELLED', version: 3 });
    expect((await change(2)).body).toMatchObject(stale(3));
    expect((await change(3)).status).toBe(200);
    expect((await change(null)).status).toBe(200);
  });

  it.each([0, 1.5, '1'])('is not %j: 400', async (version) => {
    expect((await change(version)).body).toMatchObject({ status: 400, errors: [{ path: 'body.version' }] });
  });
});

it.each([
  ['tag', 412, () => cancel(seen)],
  ['version', 409, () => change(1)],
])('of many that have seen the same state by its %s, one cancels, and the others get %i', async (_, refusal, send) => {
  const answers = await Promise.all(Array.from({ length: 6 }, send));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(refusal)]);
});
