import type { Route } from 'playwright-core';
import { findings } from '../../../tests/kit/axe.ts';
import { until } from '../../../tests/kit/until.ts';
import { ada, anAccount, id, keyId, sessionId } from './_accounts.ts';
import { ann, describePages, logIn, useConsole } from './_console.ts';

const path = `/api/accounts/${id}`;

describe('an account', () => {
  const console = useConsole(anAccount, { tests: 'each' });

  it('is found by part of its name, address or id, page by page', async () => {
    const find = (query: string) => console.read(`/api/accounts?${query}`).expect(200);
    for (const sought of ['ADA', 'ada@exam', id.slice(0, 8)])
      expect((await find(`sought=${encodeURIComponent(sought)}`)).body).toMatchObject({
        accounts: [{ id, name: 'Ada', email: ada.email }],
        next: null,
      });
    const { body } = await find('sought=twin');
    expect(body.next).toBe('c1');
    expect((await find('sought=twin&after=c1')).body.accounts).toMatchObject([{ name: 'Second twin' }]);
    expect((await find('sought=ben')).body).toEqual({ accounts: [], next: null });
    expect(new Set(console.asked.map(({ operator }) => operator))).toEqual(new Set([encodeURIComponent(ann)]));
  });

  it('is shown with its roles, sessions, keys and lock', async () => {
    expect((await console.read(path.toUpperCase().replace('/API/ACCOUNTS', '/api/accounts'))).body).toMatchObject({
      id,
      account: { name: 'Ada', email: ada.email, confirmedAt: null },
      roles: ['operator'],
      lockedAt: null,
      sessions: [{ id: sessionId, address: '192.0.2.7' }],
      keys: [{ id: keyId, name: 'Shipping' }],
      problems: [],
    });
    await console.read(`/api/accounts/${keyId}`).expect(404);
  });

  it('is changed on behalf of the logged-in operator', async () => {
    const changes = [
      ['put', '/roles/catalogue'],
      ['delete', '/roles/operator'],
      ['post', '/confirmation'],
      ['delete', `/sessions/${sessionId}`],
      ['delete', `/keys/${keyId}`],
      ['put', '/lock'],
      ['delete', '/lock'],
      ['delete', '/sessions'],
    ] as const;
    for (const [method, below] of changes) await console.send(method, `${path}${below}`).expect(204);
    const asked = console.asked.map(({ method, path: to, operator }) => [method, to, operator]);
    const expected = changes.map(([method, below]) => [method.toUpperCase(), `/internal/accounts/${id}${below}`]);
    expect(asked).toEqual(expected.map((one) => [...one, encodeURIComponent(ann)]));
    expect(console.logged.filter(({ by, accountId }) => by === ann && accountId === id)).toHaveLength(changes.length);
    await console.send('put', `${path}/roles/root`).expect(404);
    await console.send('delete', `${path}/keys/${keyId}`).expect(404);
  });
});

describe('while auth is away', () => {
  const console = useConsole(() => ({ account: anAccount().account, auth: 'http://127.0.0.1:1' }));

  it('shows the known parts of an account', async () => {
    const { body } = await console.read(path).expect(200);
    expect(body).toMatchObject({ account: { name: 'Ada' }, roles: null, sessions: null, keys: null });
    expect(body.problems).toContainEqual(expect.stringContaining('The auth service is not available'));
  });
});

describePages('the page of an account', (open) => {
  const console = useConsole(anAccount, { tests: 'each' });

  it('is found by name; two operators change roles at once without loss; it is locked, and its sessions end', async () => {
    const page = await logIn(await open(), console, '#/accounts');
    await page.getByLabel('Name, e-mail address or id of an account').fill('ada');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'Ada' }).click();
    await page.getByRole('heading', { name: 'Ada' }).waitFor();
    const other = await logIn(await open(), console, `#/accounts/${id}`);
    await other.getByRole('heading', { name: 'Ada' }).waitFor();
    await Promise.all([page.getByLabel('catalogue').click(), other.getByLabel('operator').click()]);
    await page.getByText('The role catalogue was given.').waitFor();
    await other.getByText('The role operator was removed.').waitFor();
    const { body } = await console.read(path);
    expect(body.roles).toEqual(['catalogue']);
    await other.context().close();

    expect(await page.getByRole('link', { name: 'Its orders' }).getAttribute('href')).toBe(`#/orders?customer=${id}`);
    const confirm = page.getByRole('button', { name: 'Send the confirmation again' });
    const requests: Route[] = [];
    await page.route('**/confirmation', (route) => requests.push(route));
    await confirm.click();
    await until('a second click sends no second mail', () => confirm.isDisabled());
    await requests[0]?.continue();
    await page.getByText('The mail is on its way.').waitFor();
    expect(requests).toHaveLength(1);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'End the session from 192.0.2.7' }).click();
    await dialog.getByRole('button', { name: 'End' }).click();
    await page.getByText('It has no sessions.').waitFor();
    await page.getByRole('button', { name: 'End Shipping' }).click();
    await dialog.getByRole('button', { name: 'End' }).click();
    await page.getByText('It has no API keys.').waitFor();
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await dialog.getByRole('button', { name: 'Lock' }).click();
    await page.getByText('The account is locked.').waitFor();
    await page.getByRole('button', { name: 'Unlock' }).click();
    await page.getByText('The account is unlocked.').waitFor();
    await page.getByRole('button', { name: 'Lock', exact: true }).waitFor();
  });

  it.each([
    ['Lock', 'Lock the account of Ada?', 'Lock'],
    ['End all sessions and API keys', 'End all sessions and API keys?', 'End all'],
    ['End the session from 192.0.2.7', 'End the session from 192.0.2.7?', 'End'],
    ['End Shipping', 'End the API key Shipping?', 'End'],
  ])('asks for confirmation before it harms a customer: %s', async (button, question, verb) => {
    const page = await logIn(await open(), console, `#/accounts/${id}`);
    const press = page.getByRole('button', { name: button, exact: true });
    await press.click();
    const dialog = page.getByRole('dialog', { name: question });
    await dialog.waitFor();
    expect(await findings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Back' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const changes = () => console.asked.filter(({ method }) => method !== 'GET');
    expect(changes()).toEqual([]);
    await press.click();
    await dialog.getByRole('button', { name: verb, exact: true }).click();
    await until('it is done', async () => changes().length === 1);
    await dialog.waitFor({ state: 'hidden' });
  });

  it('lists many matches page by page, and says if there is none', async () => {
    const page = await logIn(await open(), console, '#/accounts?twin');
    await page.getByRole('link', { name: 'Ada' }).waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'Second twin' }).waitFor();
    await page.getByRole('button', { name: 'First page' }).click();
    await page.getByRole('link', { name: 'Ada' }).waitFor();
    await page.getByLabel('Name, e-mail address or id of an account').fill('nobody');
    await page.keyboard.press('Enter');
    await page.getByText('No account has “nobody”').waitFor();
  });
});
