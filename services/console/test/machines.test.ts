import { findings } from '../../../tests/kit/axe.ts';
import { at, id, keyId } from './_accounts.ts';
import { type Answer, ann, describePages, logIn, Reply, useConsole } from './_console.ts';

const internal = '/internal/service-accounts';

/** The service accounts of auth: one with a key. */
function machines() {
  const key = { id: keyId, name: 'March', scopes: ['orders:read'], createdAt: at, expiresAt: at, lastUsedAt: null };
  const warehouse = {
    id,
    name: 'Warehouse',
    scopes: ['orders:read'],
    roles: ['operator'],
    paused: false,
    createdBy: `operator ${keyId}`,
    createdAt: at,
    keys: [key],
  };
  let all = [warehouse];
  const auth: Answer = (method, path, body) => {
    const given = (body ?? {}) as Partial<typeof warehouse>;
    if (path === internal) {
      if (method === 'GET') return all;
      if (given.name === 'Greedy')
        return new Reply(403, { detail: 'Your account needs the role catalogue, which only an operator can give.' });
      const made = { ...warehouse, ...given, id: keyId, keys: [] };
      all = [made, ...all];
      return new Reply(201, made);
    }
    if (path === `${internal}/${id}`) {
      if (method === 'DELETE') all = all.filter((one) => one.id !== id);
      else Object.assign(warehouse, given);
      return method === 'DELETE' ? new Reply(204, '') : warehouse;
    }
    if (path === `${internal}/${id}/keys`) {
      warehouse.keys.push({ ...key, id, name: 'April' });
      return new Reply(201, { ...key, id, name: 'April', key: 'a.new.token' });
    }
    if (path !== `${internal}/${id}/keys/${keyId}`) return undefined;
    warehouse.keys = warehouse.keys.filter((one) => one.id !== keyId);
    return new Reply(204, '');
  };
  return { auth };
}

describe('service accounts', () => {
  const console = useConsole(machines, { tests: 'each' });

  it('are changed on behalf of the logged-in operator, and no key is logged', async () => {
    const machine = { name: 'ERP', scopes: ['orders:read'], roles: [] };
    expect((await console.read('/api/machines').expect(200)).body.machines).toMatchObject([{ id, name: 'Warehouse' }]);
    await console.send('post', '/api/machines').send(machine).expect(201);
    await console.send('put', `/api/machines/${id}/pause`).send({ paused: true }).expect(204);
    const { body } = await console.send('post', `/api/machines/${id}/keys`).send({ name: 'April' }).expect(200);
    expect(body.key).toBe('a.new.token');
    await console.send('delete', `/api/machines/${id}/keys/${keyId}`).expect(204);
    await console.send('delete', `/api/machines/${id}`).expect(204);
    expect(console.asked.map(({ method, path, operator }) => [method, path, operator])).toEqual(
      [
        ['GET', internal],
        ['POST', internal],
        ['PATCH', `${internal}/${id}`],
        ['POST', `${internal}/${id}/keys`],
        ['DELETE', `${internal}/${id}/keys/${keyId}`],
        ['DELETE', `${internal}/${id}`],
      ].map((one) => [...one, encodeURIComponent(ann)]),
    );
    expect(console.logged.filter(({ by }) => by === ann).length).toBeGreaterThanOrEqual(5);
    expect(JSON.stringify(console.logged)).not.toContain('a.new.token');
  });

  it("with a scope that its roles do not cover is refused in auth's words", async () => {
    const { body } = await console
      .send('post', '/api/machines')
      .send({ name: 'Greedy', scopes: ['stock:write'], roles: [] })
      .expect(403);
    expect(body.detail).toBe('Your account needs the role catalogue, which only an operator can give.');
  });
});

describePages('the accounts of machines', (open) => {
  const console = useConsole(machines, { tests: 'each' });

  it('are made, paused, given keys and deleted', async () => {
    const page = await logIn(await open(), console, '#/accounts');
    const warehouse = page.getByRole('region', { name: 'Warehouse' });
    await warehouse.getByRole('rowheader', { name: 'March' }).waitFor();
    expect(await findings(page)).toEqual([]);

    await warehouse.getByRole('button', { name: 'Make a key' }).click();
    await page.getByText('a.new.token').waitFor();
    // Keys of one day are told apart by their names.
    const [made] = console.asked.filter(({ method }) => method === 'POST');
    expect(made?.body).toEqual({ name: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) });
    // Two keys can be valid at once.
    await warehouse.getByRole('rowheader', { name: 'April' }).waitFor();
    expect(await warehouse.getByRole('button', { name: 'Make a key' }).isDisabled()).toBe(true);
    await warehouse.getByRole('button', { name: 'End the key March of Warehouse' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await warehouse.getByText('The key has ended.').waitFor();
    await warehouse.getByRole('button', { name: 'Pause' }).click();
    await warehouse.getByText('Its keys are refused.').waitFor();
    await warehouse.getByText('paused', { exact: true }).waitFor();
    await warehouse.getByRole('button', { name: 'Resume' }).click();
    await warehouse.getByText('Its keys work again.').waitFor();

    const form = page.getByRole('form', { name: 'New machine' });
    await form.getByLabel('Name').fill('Greedy');
    await form.getByLabel('orders:read').check();
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText('needs the role catalogue').waitFor();
    await form.getByLabel('Name').fill('ERP');
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('region', { name: 'ERP' }).getByText('It has no keys.').waitFor();

    await warehouse.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await warehouse.waitFor({ state: 'hidden' });
  });
});
