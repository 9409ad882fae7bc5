import { randomUUID } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
import request from 'supertest';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { newKey, newSecret, testApp } from './_app.ts';

const [current, previous] = [newSecret(), newSecret()];
const now = Date.now() / 1000;

const database = useDatabase('auth');
const env = { JWT_SECRET_KEY: current, JWT_PREVIOUS_SECRET_KEYS: previous, JWT_TTL_SECONDS: '600' };
const auth = database.open((databaseUrl) => testApp({ databaseUrl, env }));

const kidOf = async (secret: string) => {
  const other = await testApp({ databaseUrl: database.url, env: { JWT_SECRET_KEY: secret } });
  const { kid } = decodeProtectedHeader(await other.issue(randomUUID()));
  await other.close();
  return kid;
};

it.each<[string, boolean, () => Promise<{ kid?: string | undefined; authenticatedAt?: number }>]>([
  ['goes on under the key that signs', false, async () => ({ kid: await kidOf(current) })],
  ['goes on under a previous key', false, async () => ({ kid: await kidOf(previous) })],
  ['goes on if its key is not named, as by the previous release', false, async () => ({})],
  ['has ended with its key', true, async () => ({ kid: (await newKey()).kid })],
  ['goes on within JWT_TTL_SECONDS', false, async () => ({ authenticatedAt: now - 500 })],
  ['has ended after JWT_TTL_SECONDS', true, async () => ({ authenticatedAt: now - 601 })],
])('a session %s', async (_, hasEnded, given) => {
  const session = { id: randomUUID(), accountId: randomUUID(), authenticatedAt: now, ...(await given()) };
  const { body } = await request(auth.app)
    .post('/internal/session-checks')
    .send({ sessions: [session] })
    .expect(200);
  expect(body).toEqual({ ended: hasEnded ? [session.id] : [] });
});
