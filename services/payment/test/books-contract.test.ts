import { randomUUID } from 'node:crypto';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { type Contract, describeContract } from '../../../tests/kit/openapi/contract.ts';
import { describeFuzz } from '../../../tests/kit/openapi/fuzz.ts';
import { unreachableDatabaseUrl, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { bookRoutes } from '../src/books/routes.ts';
import { testPayments } from './_payments.ts';

const database = useDatabase('payment');
const payment = database.open(testPayments);
const restricted = database.open((url) =>
  testPayments(url, { env: { INTERNAL_CREDENTIAL: newCredential(), INTERNAL_CREDENTIALS: newCredential() } }),
);
const unavailable = database.open(() => testPayments(unreachableDatabaseUrl));

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const hour = () => ({ run: randomUUID() as string, from: minutesAgo(75), to: minutesAgo(15) });

const contract: Contract = {
  // Used only for the OpenAPI document; requests go to the application.
  routes: bookRoutes({} as never),
  app: () => payment.app,
  unavailableApp: () => unavailable.app,
  restrictedApp: () => restricted.app,
  calls: {
    'get /internal/books': { 200: {} },
    'get /internal/books/orders/{id}': {
      200: () => ({ path: `/internal/books/orders/${randomUUID()}` }),
      400: { path: '/internal/books/orders/%ff' },
      404: { path: '/internal/books/orders/1' },
    },
    'post /internal/books/reconciliations': {
      200: () => ({ body: hour() }),
      400: { body: { ...hour(), from: 'yesterday' } },
      422: () => ({ body: { ...hour(), to: minutesAgo(14) } }),
    },
  },
};
describeContract(contract);
describeFuzz({ ...contract, readState: () => payment.prisma.entry.count() });
