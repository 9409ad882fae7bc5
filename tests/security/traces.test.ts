import { randomUUID } from 'node:crypto';
import { startOtlp } from '../kit/observability/otlp.ts';
import { until } from '../kit/until.ts';
import { useGateway } from './_fixture.ts';

const collector = await startOtlp();
afterAll(() => collector.stop());
const tracing = (samplingPercent: number) => ({ global: { tracing: { endpoint: collector.url, samplingPercent } } });

/** A trace id that every sampling ratio selects, with the claim that it is sampled. */
const FORCED = '00000000000000000000000000000001';
const forced = `traceparent: 00-${FORCED}-00f067aa0ba902b7-01`;
const claims: [string, string[]][] = [
  ['a sampled traceparent', [`traceparent: 00-${randomUUID().replaceAll('-', '')}-00f067aa0ba902b7-01`]],
  ['a trace id that every ratio samples', [forced]],
  ['two traceparent headers', [forced, forced]],
  ['a malformed traceparent', ['traceparent: ff-x']],
  ['a traceparent in capitals', [`TraceParent: 00-${'A'.repeat(32)}-${'B'.repeat(16)}-01`]],
  ['a tracestate', [forced, 'tracestate: ot=th:0;rv:ffffffffffffff']],
];

describe('with no traces sampled', () => {
  const gateway = useGateway(tracing(0));

  it.each(claims)('a client cannot force sampling by %s', async (_, lines) => {
    expect((await gateway.askAsCustomer('GET /accounts', lines)).status).toBe(200);
    expect((await gateway.ask('POST /auth/login', lines)).status).toBe(200);
    expect(gateway.seen).toHaveLength(3);
    for (const { headers } of gateway.seen) {
      expect(headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
      expect(headers.traceparent).not.toContain(FORCED);
      expect(headers.tracestate ?? '').toBe('');
    }
    expect(collector.spans).toEqual([]);
  });
});

describe('with all traces sampled', () => {
  const gateway = useGateway(tracing(100));

  it('a trace begins at the gateway, whatever the client sends', async () => {
    for (const [, lines] of claims) await gateway.askAsCustomer('GET /accounts', lines);
    const traceIds = gateway
      .reached()
      .map(({ headers }) => /^00-(\w{32})-\w{16}-01$/.exec(headers.traceparent ?? '')?.[1]);
    expect(new Set(traceIds).size).toBe(claims.length);
    expect(traceIds).not.toContain(FORCED);
    expect(gateway.checks().map(({ headers }) => headers.traceparent?.split('-')[1])).toEqual(traceIds);
    await until('the spans of the gateway have no parent', () =>
      traceIds.every((id = '') => collector.of(id).some(({ name, parentId }) => name === 'GET' && !parentId)),
    );
  });
});

describe('without traces', () => {
  const gateway = useGateway();

  it.each(claims)('%s reaches no service', async (_, lines) => {
    await gateway.askAsCustomer('GET /accounts', lines);
    expect(gateway.seen).toHaveLength(2);
    expect(JSON.stringify(gateway.seen)).not.toMatch(/traceparent|tracestate/i);
  });

  it.each([
    ['a UUID', randomUUID()],
    ['of 15 KiB', 'x'.repeat(15 * 1024)],
    ['empty', ''],
  ])('the gateway replaces a x-request-id that is %s', async (_, id) => {
    const answer = await gateway.askAsCustomer('GET /accounts', [`X-Request-Id: ${id}`]);
    const own = answer.headers['x-request-id'];
    expect(own).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(own).not.toBe(id);
    expect(gateway.seen.map(({ headers }) => headers['x-request-id'])).toEqual([own, own]);
  });
});
