import { readConfig } from '@store/shared/values/environment';
import request from 'supertest';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { configSchema } from '../src/config.ts';
import { ada, testApp } from './_app.ts';

const database = useDatabase('account');

const open = (env: object) => database.open((url) => testApp(url, {}, env));
const [dev, prod] = [open({}), open({ APP_PROFILE: 'prod' })];
const six = open({ APP_PROFILE: 'prod', PASSWORD_MIN_LENGTH: '6' });

const register = ({ app }: typeof dev, password: string) =>
  request(app)
    .post('/internal/accounts')
    .send({ ...ada, email: `${crypto.randomUUID()}@example.com`, password });

describe('PASSWORD_MIN_LENGTH', () => {
  it.each([
    ['in profile dev', dev, 'x', 1],
    ['in profile prod', prod, '🐎'.repeat(8), 8],
    ['if set to 6', six, 'h0rses', 6],
  ])('%s: accepts the minimum length, and names it when it refuses less', async (_, app, password, minLength) => {
    const { body } = await register(app, [...password].slice(1).join('')).expect(400);
    expect(body.errors).toEqual([{ path: 'body.password', message: `must have ${minLength} to 128 characters` }]);
    await register(app, password).expect(201);
  });

  it.each(['0', '129', 'eight'])('refuses the value %s', (value) => {
    const env = { DATABASE_URL: database.url, PASSWORD_MIN_LENGTH: value };
    expect(() => readConfig(configSchema, env)).toThrow('PASSWORD_MIN_LENGTH: must be');
  });
});

it.each(['password1', 'Qwertyuiop'])('the common password %s is refused only in profile prod', async (password) => {
  const { body } = await register(prod, password).expect(400);
  const message = 'is one of the most common passwords: choose another';
  expect(body.errors).toEqual([{ path: 'body.password', message }]);
  const path = `/internal/accounts/${crypto.randomUUID()}/password`;
  await request(prod.app).put(path).send({ password }).expect(400);
  await register(dev, password).expect(201);
});

it.each(['INTERNAL_CREDENTIALS', 'OPERATOR_CREDENTIALS', 'MAILER_CREDENTIALS'])(
  'the service refuses to start with only %s, because the other paths would be open',
  (name) => {
    const env = { DATABASE_URL: database.url, [name]: newCredential() };
    expect(() => readConfig(configSchema, env)).toThrow('set all of them, or none');
  },
);
