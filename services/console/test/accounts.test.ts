import { findings } from '../../../tests/kit/axe.ts';
import { type Answer, ann, describePages, logIn, Reply, useConsole } from './_console.ts';

const id = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const keyId = '7c9e6679-7425-40de-944b-e07fc1f90ae8';
const at = '2026-05-04T12:00:00.000Z';
const ada = { id, name: 'Ada', email: 'ada@example.com', createdAt: at };

/** Roles and keys of one account, as auth keeps them. */
function authOf(): Answer {
  let roles = ['operator'];
  let keys = [{ id: keyId, name: 'Shipping', scopes: ['orders:read'], createdAt: at, expiresAt: at, lastUsedAt: null }];
  return (method, path, body) => {
    if (path === `/internal/accounts/${id}/roles`) {
      if (method === 'PUT') ({ roles } = body as { roles: string[] });
      return { roles };
    }
    if (path === `/internal/accounts/${id}/keys`) return keys;
    if (path !== `/internal/accounts/${id}/keys/${keyId}` || keys.length === 0) return undefined;
    keys = [];
    return new Reply(204, '');
  };
}
const account: Answer = (_, path) => (path === '/internal/accounts?email=ada%40example.com' ? [ada] : []);

describe('an account', () => {
  const console = useConsole(() => ({ account, auth: authOf() }), { tests: 'each' });

  it('is found by its e-mail address or its id, with its roles and keys', async () => {
    const show = (sought: string) => console.read(`/api/account?sought=${encodeURIComponent(sought)}`);
    const owned = { id, roles: ['operator'], keys: [{ id: keyId, name: 'Shipping' }] };
    expect((await show(ada.email)).body).toMatchObject({ ...owned, name: 'Ada', email: ada.email });
    expect((await show(id.toUpperCase())).body).toMatchObject({ ...owned, name: null, email: null });
    for (const unknown of ['ben@example.com', keyId]) await show(unknown).expect(404);
    expect(new Set(console.asked.map(({ operator }) => operator))).toEqual(new Set([encodeURIComponent(ann)]));
  });

  it('is given roles, and its keys end, in the name of who is logged in', async () => {
    await console
      .send('put', `/api/accounts/${id}/roles`)
      .send({ roles: ['root'] })
      .expect(400);
    await console
      .send('put', `/api/accounts/${id}/roles`)
      .send({ roles: ['catalogue'] })
      .expect(204);
    const key = `/api/accounts/${id}/keys/${keyId}`;
    await console.send('delete', key).expect(204);
    await console.send('delete', key).expect(404);
    expect(console.asked.map(({ operator }) => operator)).toEqual(Array(3).fill(encodeURIComponent(ann)));
    const sentences = console.logged.filter(({ by, accountId }) => by === ann && accountId === id);
    expect(sentences.map(({ msg }) => msg)).toEqual(['Roles were set', 'An API key was ended']);
  });
});

describePages('the page of accounts', (open) => {
  const console = useConsole(() => ({ account, auth: authOf() }));

  it('gives and takes roles, and ends keys', async () => {
    const page = await logIn(await open(), console, '#/accounts');
    await page.getByLabel('E-mail address or id of an account').fill(ada.email);
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('heading', { name: 'Ada' }).waitFor();
    expect(await findings(page)).toEqual([]);
    // Both at once: the second knows what the first has changed.
    await page.evaluate(`for (const box of document.querySelectorAll('fieldset input')) box.click()`);
    await page.getByText('operator was taken.').waitFor();
    await page.getByLabel('operator').click();
    await page.getByText('operator was given.').waitFor();
    await page.getByRole('button', { name: 'End Shipping' }).click();
    await page.getByText('It has none.').waitFor();
    const roles = console.asked.filter(({ method }) => method === 'PUT').map(({ body }) => body);
    const both = { roles: ['catalogue', 'operator'] };
    expect(roles).toEqual([both, { roles: ['catalogue'] }, both]);
    await page.getByLabel('E-mail address or id of an account').fill('ben@example.com');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('No account has the e-mail address ben@example.com.').waitFor();
  });
});
