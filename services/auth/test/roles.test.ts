import { bearerFrom } from '@store/shared/auth/bearer';
import request from 'supertest';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { blockedBy, whileCommitsFail } from '../../../tests/kit/postgres/transaction.ts';
import { until } from '../../../tests/kit/until.ts';
import { createRoles } from '../src/roles/roles.ts';
import { useAuth } from './_app.ts';
import { cookieWith, customersOf, identityOf } from './_customers.ts';

const { env, database, start, open } = useAuth({
  INTERNAL_CREDENTIAL: newCredential(),
  INTERNAL_CREDENTIALS: newCredential(),
  OPERATOR_CREDENTIALS: newCredential(),
  MAILER_CREDENTIALS: newCredential(),
});
const [auth, replica] = [open(), open()];
const { loggedIn } = customersOf(auth);

const grant = (id: string, roles: unknown, credential = env.OPERATOR_CREDENTIALS) =>
  request(auth.app).put(`/internal/accounts/${id}/roles`).auth(credential, { type: 'bearer' }).send({ roles });
const put = ({ headers }: { headers: Record<string, string> }, id: string, roles: unknown) =>
  request(auth.app).put(`/accounts/${id}/roles`).set(headers).send({ roles });
async function check({ token }: { token: string }, { app } = auth) {
  const { headers } = await request(app).get('/check').set('Cookie', cookieWith(token)).expect(200);
  return { roles: headers['account-roles'], authorization: headers.authorization };
}

describe('roles', () => {
  it('are empty until an operator sets them', async () => {
    const account = await loggedIn();
    expect(await check(account)).toEqual({ roles: undefined, authorization: `Bearer ${account.token}` });
    const { body } = await grant(account.id, ['operator', 'catalogue', 'operator']).expect(200);
    expect(body).toEqual({ roles: ['catalogue', 'operator'] });
    expect((await check(account)).roles).toBe('catalogue,operator');
  });

  it('reach another replica within a second, and a replica that starts later', async () => {
    const account = await loggedIn();
    const untilRoles = (roles: string | undefined) =>
      until('the replica knows', async () => (await check(account, replica)).roles === roles, { timeoutMs: 1_000 });
    await grant(account.id, ['catalogue']).expect(200);
    await untilRoles('catalogue');
    const late = await start();
    const { roles } = await check(account, late);
    await late.close();
    expect(roles).toBe('catalogue');
    await grant(account.id, []).expect(200);
    await untilRoles(undefined);
  });

  it('are signed, in their current state, for services that check tokens themselves', async () => {
    const account = await loggedIn();
    const validate = bearerFrom({ ...env, BEARER_VALIDATION: 'on' });
    const rolesOf = async (authorization: string | undefined) => (await validate(authorization, account.id))?.roles;
    expect(await rolesOf((await check(account)).authorization)).toEqual([]);
    await grant(account.id, ['catalogue']).expect(200);
    const { authorization } = await check(account);
    expect(await rolesOf(authorization)).toEqual(['catalogue']);
    expect((await check(account)).authorization).toBe(authorization);
    for (const roles of [['catalogue', 'operator'], ['operator'], ['catalogue'], []]) {
      await grant(account.id, roles).expect(200);
      expect(await rolesOf((await check(account)).authorization)).toEqual(roles);
    }
    // If such a token ever leaves the store, it is worth no more than the session it stands for.
    expect((await check({ token: authorization?.slice('Bearer '.length) ?? '' })).roles).toBeUndefined();
  });

  it('can be given only by an operator; forged headers do not help', async () => {
    const [operator, customer] = [await loggedIn(), await loggedIn()];
    await grant(operator.id, ['operator']).expect(200);
    expect((await put(operator, customer.id, ['catalogue'])).status).toBe(200);
    const forged = { headers: { ...customer.headers, 'account-roles': 'operator' } };
    const refused = await put(forged, customer.id, ['operator']);
    expect(refused.status).toBe(403);
    expect(refused.body.detail).toBe('Your account needs the role operator, which only an operator can give.');
    expect((await put({ headers: identityOf(operator.id, customer.token) }, customer.id, ['operator'])).status).toBe(
      401,
    );
    expect((await check(customer)).roles).toBe('catalogue');
    expect((await grant(customer.id, ['operator'], env.INTERNAL_CREDENTIALS)).status).toBe(403);
  });

  it('keep the changes of two operators who change different roles of an account at once', async () => {
    const { id, token } = await loggedIn();
    await grant(id, ['operator']).expect(200);
    const one = (method: 'put' | 'delete', role: string, name: string) =>
      request(auth.app)
        [method](`/internal/accounts/${id}/roles/${role}`)
        .auth(env.OPERATOR_CREDENTIALS, { type: 'bearer' })
        .set('operator-name', name);
    const row = 'select from account_roles where account_id = $1 for update';
    // Both wait for the row after their first read.
    const answers = await blockedBy(database.url, row, [id], 2, () =>
      Promise.all([one('put', 'catalogue', 'ann'), one('delete', 'operator', 'ben')]),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await check({ token })).roles).toBe('catalogue');
    const again = await one('put', 'catalogue', 'ann').expect(200);
    expect(again.body).toEqual({ roles: ['catalogue'] });
    const asked = request(auth.app).get(`/internal/audit?subject=${id}`);
    const { body } = await asked.auth(env.OPERATOR_CREDENTIALS, { type: 'bearer' }).expect(200);
    expect(body).toHaveLength(3);
    expect(body[0].before).toEqual(body[1].after);
    expect(body.map(({ actor }: { actor: string }) => actor).sort()).toEqual([
      'operator',
      'operator ann',
      'operator ben',
    ]);
    await one('put', 'root', 'ann').expect(404);
    await request(auth.app)
      .put(`/internal/accounts/${crypto.randomUUID()}/roles/catalogue`)
      .auth(env.OPERATOR_CREDENTIALS, { type: 'bearer' })
      .expect(404);
  });

  it('have each change in the audit trail, with its actor and the state before', async () => {
    const [operator, customer] = [await loggedIn(), await loggedIn()];
    const set = grant(operator.id, ['operator']).set('operator-name', 'ann');
    await set.expect(200);
    await Promise.all([put(operator, customer.id, ['catalogue']), put(operator, customer.id, ['catalogue'])]);
    await put(customer, customer.id, ['operator']).expect(403);
    await grant(crypto.randomUUID(), ['operator']).expect(404);
    const trail = (credential = env.OPERATOR_CREDENTIALS) =>
      request(auth.app).get('/internal/audit?size=3').auth(credential, { type: 'bearer' });
    const [none, catalogue] = [{ roles: [] }, { roles: ['catalogue'] }];
    const byOperator = { actor: `account ${operator.id}`, kind: 'roles', subject: customer.id };
    expect((await trail().expect(200)).body).toMatchObject([
      { ...byOperator, before: catalogue, after: catalogue },
      { ...byOperator, before: none, after: catalogue },
      { actor: 'operator ann', subject: operator.id, before: none, after: { roles: ['operator'] } },
    ]);
    await trail(env.INTERNAL_CREDENTIALS).expect(403);
  });

  it('have no audit entry for a change whose commit fails', async () => {
    const { id } = await loggedIn();
    await grant(id, ['catalogue']).expect(200);
    await whileCommitsFail(database.url, 'account_roles', () => grant(id, []).expect(500));
    const trail = request(auth.app).get(`/internal/audit?subject=${id}`);
    const { body } = await trail.auth(env.OPERATOR_CREDENTIALS, { type: 'bearer' }).expect(200);
    expect(body).toMatchObject([{ after: { roles: ['catalogue'] } }]);
  });

  it.each([['operator'], [['root']], [['customer']]])('cannot be set to %j', async (roles) => {
    expect((await grant((await loggedIn()).id, roles)).status).toBe(400);
  });

  it('are not replaced by an older change that arrives late', () => {
    const roles = createRoles();
    const accountId = crypto.randomUUID();
    roles.add({ accountId, roles: [], isLocked: false, changedAt: 2 });
    roles.add({ accountId, roles: ['operator'], isLocked: false, changedAt: 1 });
    expect(roles.of(accountId)).toEqual([]);
  });
});
