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
    ['as set', { APP_PROFILE: 'prod', PASSWORD_MIN_LENGTH: '6' }, 'secret', 6],
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

it.each([
  ['INTERNAL_CREDENTIALS', 'OPERATOR_CREDENTIALS'],
  ['OPERATOR_CREDENTIALS', 'INTERNAL_CREDENTIALS'],
])('refuses to start with %s and without %s, whose paths would be open', (given, missing) => {
  const env = { DATABASE_URL: database.url, [given]: newCredential() };
  expect(() => readConfig(configSchema, env)).toThrow(`${given}: is set, but not ${missing}: set all of them, or none`);
});
