import request from 'supertest';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { lastToken, register as registerAt, testApp } from './_app.ts';

const database = useDatabase('account');
const account = database.open((url) => testApp(url));
const register = (name: string, email: string) => registerAt(account, { name, email });
const ask = (path: string) => request(account.app).get(path).set('operator-name', 'ann');
const search = (q: string, more = '') => ask(`/internal/accounts?q=${encodeURIComponent(q)}${more}`);
const trailOf = async (id: string) => (await ask(`/internal/audit?subject=${id}`).expect(200)).body;

describe('an operator', () => {
  it('finds accounts by literal text in the name or address, or by the beginning of the id', async () => {
    const ada = await register('Ada Byron', 'countess@example.com');
    const ben = await register('Ben', 'ada.fan@example.org');
    await register('Cy 100%', 'cy_1@example.com');
    const namesOf = async (q: string) => (await search(q).expect(200)).body.map(({ name }: { name: string }) => name);
    expect(await namesOf('ADA')).toEqual(['Ben', 'Ada Byron']);
    expect(await namesOf('byr')).toEqual(['Ada Byron']);
    expect(await namesOf('@example.org')).toEqual(['Ben']);
    expect(await namesOf(ada.id.slice(0, 8).toUpperCase())).toEqual(['Ada Byron']);
    expect(await namesOf(ben.id)).toEqual(['Ben']);
    expect(await namesOf('0%')).toEqual(['Cy 100%']);
    expect(await namesOf('y_1')).toEqual(['Cy 100%']);
    expect(await namesOf('B%n')).toEqual([]);
    const [found] = (await search('byron')).body;
    expect(found).toMatchObject({ id: ada.id, email: ada.email, confirmedAt: null });
    expect(await trailOf(ada.id)).toMatchObject([{ actor: 'operator ann', kind: 'look', after: { at: 'account' } }]);
  });

  it('finds an account by its id, which records no look at other accounts', async () => {
    const { id } = await register('Fay', 'fay@example.com');
    const namesake = await register(id, 'namesake@example.com');
    const { body } = await ask(`/internal/accounts?id=${id}`).expect(200);
    expect(body).toMatchObject([{ id, name: 'Fay', confirmedAt: null }]);
    expect(await trailOf(id)).toMatchObject([{ actor: 'operator ann', kind: 'look', after: { at: 'account' } }]);
    expect(await trailOf(namesake.id)).toEqual([]);
    expect((await ask(`/internal/accounts?id=${crypto.randomUUID()}`).expect(200)).body).toEqual([]);
    await ask('/internal/accounts?id=fay').expect(400);
  });

  it('reads all matches in pages, newest first', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.unshift((await register(`Twin ${n}`, `twin${n}@example.com`)).id);
    const read: string[] = [];
    for (let path = '/internal/accounts?q=twin&size=2'; path !== ''; ) {
      const { body, headers } = await ask(path).expect(200);
      read.push(...body.map(({ id }: { id: string }) => id));
      path = /<(.+)>/.exec(headers.link ?? '')?.[1] ?? '';
    }
    expect(read).toEqual(ids);
    await search('twin', '&after=x').expect(400);
  });

  it('reads names of accounts in the audit trail, which records no look', async () => {
    const { id } = await register('Dee', 'dee@example.com');
    const { body } = await ask(`/internal/account-names?id=${id}&id=${crypto.randomUUID()}`).expect(200);
    expect(body).toEqual([{ id, name: 'Dee' }]);
    expect(await trailOf(id)).toEqual([]);
  });

  it('can resend the mail that confirms an address until it is confirmed, which is recorded', async () => {
    const { id } = await register('Eve', 'eve@example.com');
    const first = await lastToken(account, id);
    const again = () => request(account.app).post(`/internal/accounts/${id}/confirmation`).set('operator-name', 'ann');
    await again().expect(202);
    const confirm = (token: string) => request(account.app).post('/internal/email-confirmations').send({ token });
    await confirm(first).expect(403);
    await confirm(await lastToken(account, id)).expect(204);
    expect((await again().expect(409)).body.detail).toBe('The e-mail address is already confirmed.');
    const after = { is: 'to be confirmed, by another mail' };
    expect(await trailOf(id)).toMatchObject([{ actor: 'operator ann', kind: 'e-mail address', after }]);
    await request(account.app).post(`/internal/accounts/${crypto.randomUUID()}/confirmation`).expect(404);
  });
});
