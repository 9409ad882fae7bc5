import request from 'supertest';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { whileCommitsFail } from '../../../tests/kit/postgres/transaction.ts';
import { ada, lastToken, register as registerAt, testApp } from './_app.ts';

const database = useDatabase('account');
const account = database.open((url) => testApp(url));

const register = (more = {}) => registerAt(account, more);
const patch = (id: string, body: object) =>
  request(account.app).patch(`/accounts/${id}`).set('id-account', id).send(body);
const moveTo = (id: string, email: string) => patch(id, { email, currentPassword: ada.password }).expect(200);
const confirm = (token: string) => request(account.app).post('/internal/email-confirmations').send({ token });
const setPassword = (id: string, password: string, status = 204) =>
  request(account.app).put(`/internal/accounts/${id}/password`).send({ password }).expect(status);
const look = (email: string, operator?: string) =>
  request(account.app)
    .get(`/internal/accounts?email=${encodeURIComponent(email)}`)
    .set(operator === undefined ? {} : { 'operator-name': operator })
    .expect(200);
type Entry = { actor: string; kind: string; before: object | null; after: object | null };
/** The audit trail of an account, the oldest entry first. */
async function trailOf(id: string): Promise<Entry[]> {
  const { body } = await request(account.app).get(`/internal/audit?subject=${id}`).expect(200);
  return body.toReversed();
}

describe('the audit trail of an account', () => {
  it('records changes of password and e-mail address, resets and the deletion, without addresses', async () => {
    const { id, email } = await register();
    await confirm(await lastToken(account, id)).expect(204);
    await setPassword(id, ada.password);
    await request(account.app).post('/internal/password-resets').send({ email }).expect(202);
    const reset = { token: await lastToken(account, id), password: ada.password };
    await request(account.app).post('/internal/password-resets/confirmation').send(reset).expect(200);
    await moveTo(id, `b-${email}`);
    await confirm(await lastToken(account, id, 'EmailChangePending')).expect(204);
    await moveTo(id, `c-${email}`);
    await confirm(await lastToken(account, id)).expect(204);
    const remove = () => request(account.app).delete(`/accounts/${id}`).set('id-account', id);
    await remove().send({ password: ada.password }).expect(204);
    const trail = await trailOf(id);
    expect(trail.map(({ kind, before, after }) => [kind, before, after])).toEqual([
      ['password', null, { is: 'changed' }],
      ['password', null, { is: 'reset' }],
      ['e-mail address', null, { is: 'requested' }],
      ['e-mail address', { is: 'requested' }, { is: 'cancelled' }],
      ['e-mail address', null, { is: 'requested' }],
      ['e-mail address', { is: 'requested' }, { is: 'changed' }],
      ['account', {}, null],
    ]);
    expect(new Set(trail.map(({ actor }) => actor))).toEqual(new Set([`account ${id}`]));
    expect(JSON.stringify(trail)).not.toContain('@');
  });

  it('has no entry for a refused change', async () => {
    const { id, email } = await register();
    await patch(id, { email: `b-${email}`, currentPassword: 'wrong' }).expect(403);
    await moveTo(id, `b-${email}`);
    const token = await lastToken(account, id);
    await register({ email: `b-${email}` });
    await confirm(token).expect(409);
    await moveTo(id, email);
    expect(await trailOf(id)).toMatchObject([{ after: { is: 'requested' } }]);
  });

  it('has no entry for a change whose commit fails', async () => {
    const { id, email } = await register();
    await confirm(await lastToken(account, id)).expect(204);
    await request(account.app).post('/internal/password-resets').send({ email }).expect(202);
    const reset = { token: await lastToken(account, id), password: ada.password };
    await moveTo(id, `b-${email}`);
    const [moving, cancelling] = [await lastToken(account, id), await lastToken(account, id, 'EmailChangePending')];
    const before = await trailOf(id);
    await whileCommitsFail(database.url, 'outbox', async () => {
      await setPassword(id, ada.password, 500);
      await request(account.app).post('/internal/password-resets/confirmation').send(reset).expect(500);
      await patch(id, { email: `c-${email}`, currentPassword: ada.password }).expect(500);
      await confirm(moving).expect(500);
      const remove = request(account.app).delete(`/accounts/${id}`).set('id-account', id);
      await remove.send({ password: ada.password }).expect(500);
    });
    await whileCommitsFail(database.url, 'mail_requests', () => confirm(cancelling).expect(500));
    expect(await trailOf(id)).toEqual(before);
  });

  it('records each operator who looks at the account, once an hour', async () => {
    const { id, email } = await register();
    for (const operator of ['ann', 'ann', 'ben', undefined]) await look(email, operator);
    await look('nobody@example.com', 'ann');
    const looks = () => trailOf(id).then((trail) => trail.map(({ actor, kind, after }) => [actor, kind, after]));
    const [byAnn, byBen, byNobody] = ['operator ann', 'operator ben', 'operator'].map((actor) => [
      actor,
      'look',
      { at: 'account' },
    ]);
    expect(await looks()).toEqual([byAnn, byBen, byNobody]);
    await account.prisma.audit.updateMany({ data: { at: new Date(Date.now() - 3_601_000) } });
    await look(email, 'ann');
    expect(await looks()).toEqual([byAnn, byBen, byNobody, byAnn]);
  });
});
