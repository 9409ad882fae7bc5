import { describeContract } from '../../../tests/kit/openapi/contract.ts';
import { unreachableDatabaseUrl, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { statusRoutes } from '../src/routes.ts';
import { testApp } from './_app.ts';
import { add } from './_records.ts';

const status = useDatabase('status').open(testApp);
const unavailable = testApp(unreachableDatabaseUrl);

beforeAll(async () => {
  await add(
    status.prisma,
    { time: '2026-01-01T00:00:00Z' },
    { time: '2026-01-01T00:00:00.000001Z', station: 2, bikes: 1, docks: 2, category1: 'a', category2: 'b' },
    { time: '2026-01-01T00:00:01Z' },
  );
});

afterAll(() => unavailable.close());

const calls = (path: string) => ({ 200: { path: `${path}?skip=1&limit=1` }, 400: { path: `${path}?limit=0` } });

describeContract({
  // Only for the document; the requests go to the application.
  routes: statusRoutes({} as never),
  app: () => status.app,
  unavailableApp: () => unavailable.app,
  calls: {
    'get /api/v1/status/': calls('/api/v1/status/'),
    'get /api/v1/status': calls('/api/v1/status'),
  },
});
