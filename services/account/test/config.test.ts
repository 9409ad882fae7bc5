import { readConfig } from '@store/shared/values/environment';
import request from 'supertest';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { configSchema } from '../src/config.ts';
import { ada, testApp } from './_app.ts';

const database = useDatabase('account', 'each');

describe('PASSWORD_MIN_LENGTH', () => {
  it.each([
    ['in profile dev', {}, 'x', 1],
    ['in profile prod', { APP_PROFILE: 'prod' }, '🐎'.repeat(8), 8],
    ['as set', { APP_PROFILE: 'prod', PASSWORD_MIN_LENGTH: '6' }, 'h0rses', 6],
  ])('%s: is accepted, one character less is refused with the minimum', async (_, env, password, minLength) => {
    const strict = await testApp(database.url, {}, env);
    try {
      const send = (given: string) =>
        request(strict.app)
          .post('/internal/accounts')
          .send({ ...ada, password: given });
      const { body } = await send([...password].slice(1).join('')).expect(400);
      const message = `must have ${minLength} to 128 characters`;
      expect(body.errors).toEqual([{ path: 'body.password', message }]);
      await send(password).expect(201);
    } finally {
      await strict.close();
    }
  });

  it.each(['0', '129', 'eight'])('refuses the value %s', (value) => {
    const env = { DATABASE_URL: database.url, PASSWORD_MIN_LENGTH: value };
    expect(() => readConfig(configSchema, env)).toThrow('PASSWORD_MIN_LENGTH: must be');
  });
});

it('in profile prod a password that is used often is refused, however it is capitalized; elsewhere it is not', async () => {
  const [strict, lax] = [await testApp(database.url, {}, { APP_PROFILE: 'prod' }), await testApp(database.url)];
  try {
    for (const password of ['password1', 'Qwertyuiop']) {
      const { body } = await request(strict.app)
        .post('/internal/accounts')
        .send({ ...ada, password })
        .expect(400);
      expect(body.errors).toEqual([
        { path: 'body.password', message: 'is one of those that are used most: choose another' },
      ]);
      const { status } = await request(strict.app)
        .put(`/internal/accounts/${crypto.randomUUID()}/password`)
        .send({ password });
      expect(status).toBe(400);
    }
    await request(lax.app)
      .post('/internal/accounts')
      .send({ ...ada, password: 'password1' })
      .expect(201);
  } finally {
    await Promise.all([strict.close(), lax.close()]);
  }
});

it.each([
  ['INTERNAL_CREDENTIALS', 'OPERATOR_CREDENTIALS and MAILER_CREDENTIALS'],
  ['OPERATOR_CREDENTIALS', 'INTERNAL_CREDENTIALS and MAILER_CREDENTIALS'],
  ['MAILER_CREDENTIALS', 'INTERNAL_CREDENTIALS and OPERATOR_CREDENTIALS'],
])('refuses to start with %s and without %s, whose paths would be open', (given, missing) => {
  const env = { DATABASE_URL: database.url, [given]: newCredential() };
  expect(() => readConfig(configSchema, env)).toThrow(`${given}: is set, but not ${missing}: set all of them, or none`);
});
