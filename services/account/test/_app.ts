import { openDatabase } from '@store/shared/database/database';
import { createLog } from '@store/shared/observability/log';
import { DomainError } from '@store/shared/values/errors';
import request from 'supertest';
import { printUnexpected } from '../../../tests/kit/observability/log.ts';
import type { AuthClient } from '../src/auth-client.ts';
import { configSchema } from '../src/config.ts';
import { PrismaClient } from '../src/generated/client.ts';
import { createMailRequestRepository } from '../src/mail-request-repository.ts';
import { announceDueResets } from '../src/mail-requests.ts';
import { createAccountService } from '../src/service.ts';

export const ada = { name: 'Ada Lovelace', email: 'Ada.Lovelace@Example.com', password: ' correct horse ' };

/** Accounts whose sessions `fakeAuth` has ended. */
export const ended: string[] = [];
/** A fake of the auth service. Only ada's password is right, and the password `too often` is rate-limited. */
export const fakeAuth: AuthClient = {
  async checkPassword(_customer, _email, password) {
    if (password === 'too often') throw new DomainError('rateLimited', 'Too often.', { retryAfterSeconds: 7 });
    if (password !== ada.password) throw new DomainError('forbidden', 'Wrong.', { code: 'wrong-password' });
  },
  async endSessions({ accountId }) {
    ended.push(accountId);
  },
};

/** Starts the real service with the test's own database. `logged` collects its log lines. */
export async function testApp(databaseUrl: string, limits: Parameters<typeof createAccountService>[1] = {}, env = {}) {
  const database = openDatabase(PrismaClient, databaseUrl);
  const logged: string[] = [];
  const write = (line: string) => {
    logged.push(line);
    printUnexpected(line);
  };
  const log = createLog('account', 'trace', { write });
  const config = configSchema.parse({
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: 'unused:1',
    AUTH_URL: 'http://127.0.0.1:1',
    ORDER_URL: 'http://127.0.0.1:1',
    INVOICE_URL: 'http://127.0.0.1:1',
    NOTIFICATION_URL: 'http://127.0.0.1:1',
    PAYMENT_URL: 'http://127.0.0.1:1',
    INVENTORY_URL: 'http://127.0.0.1:1',
    ...env,
  });
  const { app } = await createAccountService({ config, log, database }, { auth: fakeAuth, ...limits });
  const requests = createMailRequestRepository(database);
  const announceDue = () => announceDueResets(database, requests);
  return { app, prisma: database.prisma, logged, forget: requests.deleteOld, announceDue, close: database.close };
}

type TestApp = Awaited<ReturnType<typeof testApp>>;

/** Registers an account with a unique address. */
export async function register({ app }: Pick<TestApp, 'app'>, more = {}) {
  const body = { ...ada, email: `${crypto.randomUUID()}@example.com`, ...more };
  const { body: created } = await request(app).post('/internal/accounts').send(body).expect(201);
  return { ...body, id: created.id as string };
}

/** Returns the request id in the last event of an account, or in its last event of a kind. */
export async function lastRequest({ prisma }: TestApp, accountId: string, kind?: string): Promise<string> {
  const where = { key: accountId, ...(kind !== undefined && { kind }) };
  const event = await prisma.outbox.findFirstOrThrow({ where, orderBy: { seq: 'desc' } });
  return JSON.parse(event.payload).requestId;
}

/** Returns the token of the mail that answers this request. */
export async function lastToken(account: TestApp, accountId: string, kind?: string): Promise<string> {
  const requestId = await lastRequest(account, accountId, kind);
  const { body } = await request(account.app)
    .post(`/internal/accounts/${accountId}/mail`)
    .send({ requestId })
    .expect(200);
  return body.token;
}
