import { findings } from '../../../tests/kit/axe.ts';
import { at, id, keyId } from './_accounts.ts';
import { type Answer, ann, describePages, logIn, Reply, useConsole } from './_console.ts';

const internal = `/internal/webhooks`;
const url = 'https://erp.example.com/store';

/** The webhooks of a store: one that was given up, with two deliveries. */
function webhooks() {
  const erp = {
    ...{ id, url, kinds: ['OrderPaid', 'OrderShipped'], ordered: false, state: 'GIVEN_UP', failures: 12 },
    ...{ lastFailure: 'The endpoint answered 503.', restingUntil: null as string | null, createdAt: at },
  };
  const delivered = {
    ...{ id: keyId, eventId: id, orderId: id, type: 'OrderPaid', sequence: 3, state: 'DELIVERED', attempts: 1 },
    ...{ status: 200 as number | null, failure: null as string | null, createdAt: at, triedAt: at, dueAt: null },
  };
  const given = { ...delivered, id, type: 'OrderShipped', sequence: 4, state: 'GIVEN_UP', attempts: 10, status: 503 };
  const deliveries = [{ ...given, failure: 'The endpoint answered 503.' }, delivered];
  const webhook: Answer = (method, path, body) => {
    if (path === internal) return [erp];
    if (path === `${internal}/${id}` && method === 'PATCH') return Object.assign(erp, body, { failures: 0 });
    if (path === `${internal}/${id}/deliveries`)
      return new Reply(200, deliveries, { link: `<${internal}/${id}/deliveries?after=second>; rel="next"` });
    if (path.startsWith(`${internal}/${id}/deliveries?`))
      return deliveries.filter(({ state }) => path.includes('after=') || path.endsWith(`state=${state}`));
    if (path === `${internal}/${id}/deliveries/${id}/attempts`) return new Reply(202, { deliveries: 1 });
    if (path === `${internal}/${id}/replays`) return new Reply(202, { deliveries: 7 });
    return undefined;
  };
  return { webhook };
}

describe('webhooks', () => {
  const console = useConsole(webhooks, { tests: 'each' });

  it('are shown and changed on behalf of the logged-in operator', async () => {
    expect((await console.read('/api/webhooks').expect(200)).body.webhooks).toMatchObject([{ id, url }]);
    const { body } = await console.read(`/api/webhooks/${id}/deliveries`).expect(200);
    expect(body).toMatchObject({ deliveries: [{ state: 'GIVEN_UP' }, { state: 'DELIVERED' }], next: 'second' });
    await console.read(`/api/webhooks/${id}/deliveries?state=GIVEN_UP&after=second`).expect(200);
    await console.send('put', `/api/webhooks/${id}/pause`).send({ paused: true }).expect(204);
    await console.send('post', `/api/webhooks/${id}/deliveries/${id}/attempts`).expect(204);
    const time = { from: '2026-05-04T12:00:00.000000Z', to: '2026-05-05T12:00:00.000000Z' };
    const replay = await console.send('post', `/api/webhooks/${id}/replays`).send(time).expect(200);
    expect(replay.body).toEqual({ deliveries: 7 });
    expect(console.asked.map(({ method, path, body, operator }) => [method, path, body, operator])).toEqual(
      [
        ['GET', internal, undefined],
        ['GET', `${internal}/${id}/deliveries`, undefined],
        ['GET', `${internal}/${id}/deliveries?state=GIVEN_UP&after=second`, undefined],
        ['PATCH', `${internal}/${id}`, { state: 'PAUSED' }],
        ['POST', `${internal}/${id}/deliveries/${id}/attempts`, undefined],
        ['POST', `${internal}/${id}/replays`, time],
      ].map((one) => [...one, encodeURIComponent(ann)]),
    );
    expect(console.logged.filter(({ by }) => by === ann).length).toBeGreaterThanOrEqual(3);
  });
});

describePages('the webhooks of a store', (open) => {
  const console = useConsole(webhooks, { tests: 'each' });

  it('say why they ended, go on, and send again', async () => {
    const page = await logIn(await open(), console, '#/accounts');
    const erp = page.getByRole('region', { name: url });
    await erp.getByText('GIVEN_UP').waitFor();
    await erp.getByText('12: The endpoint answered 503.').waitFor();
    await erp.getByRole('button', { name: 'Resume' }).click();
    await erp.getByText('Deliveries are sent again.').waitFor();
    await erp.getByRole('button', { name: 'Pause' }).click();
    await erp.getByText('Deliveries wait.').waitFor();
    await erp.getByText('PAUSED').waitFor();

    await erp.getByRole('button', { name: 'Deliveries' }).click();
    await erp.getByRole('rowheader', { name: 'OrderPaid 3' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await erp.getByLabel('Only those that were given up').check();
    await erp.getByRole('rowheader', { name: 'OrderPaid 3' }).waitFor({ state: 'hidden' });
    await erp.getByRole('button', { name: `Send again: OrderShipped 4 to ${url}` }).click();
    await erp.getByText('It is sent again.').waitFor();

    const form = erp.getByRole('form', { name: `Replay to ${url}` });
    await form.getByLabel('Events from (UTC)').fill('2026-05-04T12:00');
    await form.getByLabel('Until (UTC)').fill('2026-05-05T12:00');
    await form.getByRole('button', { name: 'Send again', exact: true }).click();
    await form.getByText('7 deliveries are sent again.').waitFor();
    const { body } = console.asked.find(({ path }) => path.endsWith('/replays')) ?? {};
    expect(body).toEqual({ from: '2026-05-04T12:00:00.000000Z', to: '2026-05-05T12:00:00.000000Z' });
  });
});
