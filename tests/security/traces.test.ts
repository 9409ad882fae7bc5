import { randomUUID } from 'node:crypto';
import { type Otlp, startOtlp } from '../kit/observability/otlp.ts';
import { until } from '../kit/until.ts';
import { COOKIE, type Fixture, http, startUnlimited } from './_fixture.ts';

/** A trace id that every ratio samples, and a claim that it is sampled. */
const FORCED = '00000000000000000000000000000001';
const claims: [string, string[]][] = [
  ['a sampled traceparent', [`traceparent: 00-${randomUUID().replaceAll('-', '')}-00f067aa0ba902b7-01`]],
  ['a trace id that every ratio samples', [`traceparent: 00-${FORCED}-00f067aa0ba902b7-01`]],
  ['two of them', [`traceparent: 00-${FORCED}-00f067aa0ba902b7-01`, `traceparent: 00-${FORCED}-00f067aa0ba902b7-01`]],
  ['a malformed traceparent', ['traceparent: ff-x']],
  ['a traceparent in capitals', [`TraceParent: 00-${'A'.repeat(32)}-${'B'.repeat(16)}-01`]],
  ['a tracestate', [`traceparent: 00-${FORCED}-00f067aa0ba902b7-01`, 'tracestate: ot=th:0;rv:ffffffffffffff']],
];

describe('with traces of which none is sampled', () => {
  let collector: Otlp;
  let fixture: Fixture;
  beforeAll(async () => {
    collector = await startOtlp();
    fixture = await startUnlimited({ global: { tracing: { endpoint: collector.url, samplingPercent: 0 } } });
  });
  afterAll(async () => {
    await fixture?.stop();
    await collector?.stop();
  });
  beforeEach(() => fixture.clear());

  it.each(claims)('a client cannot force sampling by %s', async (_, lines) => {
    expect((await fixture.send(http('GET /accounts', [`Cookie: ${COOKIE}`, ...lines]))).status).toBe(200);
    expect((await fixture.send(http('POST /auth/login', lines))).status).toBe(200);
    const received = [...fixture.checks(), ...fixture.reached()];
    expect(received).toHaveLength(3);
    for (const { headers } of received) {
      expect(headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
      expect(headers.traceparent).not.toContain(FORCED);
      expect(headers.tracestate ?? '').toBe('');
    }
    expect(collector.spans).toEqual([]);
  });
});

test('with traces that are all sampled, one begins at the gateway, whatever the client sends', async () => {
  const collector = await startOtlp();
  const fixture = await startUnlimited({ global: { tracing: { endpoint: collector.url, samplingPercent: 100 } } });
  try {
    for (const [, lines] of claims) {
      fixture.clear();
      await fixture.send(http('GET /accounts', [`Cookie: ${COOKIE}`, ...lines]));
      const [, traceId = ''] =
        /^00-([0-9a-f]{32})-[0-9a-f]{16}-01$/.exec(fixture.reached()[0]?.headers.traceparent ?? '') ?? [];
      expect(fixture.checks()[0]?.headers.traceparent).toContain(traceId);
      expect(traceId).not.toBe(FORCED);
      await until('the span of the gateway has no parent', () =>
        collector.of(traceId).some(({ name, parentId }) => name === 'GET' && !parentId),
      );
    }
  } finally {
    await fixture.stop();
    await collector.stop();
  }
});

describe('without traces', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startUnlimited();
  });
  afterAll(() => fixture?.stop());

  it.each(claims)('%s reaches no service', async (_, lines) => {
    fixture.clear();
    await fixture.send(http('GET /accounts', [`Cookie: ${COOKIE}`, ...lines]));
    expect(JSON.stringify([...fixture.checks(), ...fixture.reached()])).not.toMatch(/traceparent|tracestate/i);
  });

  it.each([
    ['a UUID', randomUUID()],
    ['of 15 KiB', 'x'.repeat(15 * 1024)],
    ['empty', ''],
  ])('the gateway replaces a x-request-id that is %s', async (_, id) => {
    fixture.clear();
    const lines = [`Cookie: ${COOKIE}`, `X-Request-Id: ${id}`];
    const { headers } = await fixture.send(http('GET /accounts', lines));
    const received = [...fixture.checks(), ...fixture.reached()].map((seen) => seen.headers['x-request-id']);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(headers['x-request-id']).not.toBe(id);
    expect(received).toEqual([headers['x-request-id'], headers['x-request-id']]);
  });
});
