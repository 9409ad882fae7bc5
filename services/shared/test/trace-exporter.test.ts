import { createLog } from '@store/shared/observability/log';
import { currentTrace, inSpan, startSpan } from '@store/shared/observability/trace-context';
import { startTracing } from '@store/shared/observability/trace-exporter';
import { type Otlp, startOtlp } from '../../../tests/kit/observability/otlp.ts';
import { until } from '../../../tests/kit/until.ts';
import { freePort } from '../../../tools/free-port.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';
const lines: { msg: string }[] = [];
const log = createLog('test', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) });
let collector: Otlp | undefined;
let tracing: ReturnType<typeof startTracing> | undefined;

/** Starts tracing. The SDK reads its settings from the environment. */
function trace(endpoint: string, env: Record<string, string> = {}) {
  Object.assign(process.env, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_BSP_SCHEDULE_DELAY: '50', ...env });
  tracing = startTracing('tea', log);
  return tracing;
}

afterEach(async () => {
  await tracing?.stop();
  await collector?.stop();
  for (const name of Object.keys(process.env).filter((name) => name.startsWith('OTEL_'))) delete process.env[name];
  lines.length = 0;
});

it('the trace exporter sends spans with names, parents, attributes and errors, and the remaining spans on stop', async () => {
  collector = await startOtlp();
  const { stop } = trace(collector.url, { OTEL_RESOURCE_ATTRIBUTES: 'team=tea' });
  const parent = `00-${traceId}-${parentId}-01`;
  const span = startSpan({ name: 'GET', kind: 'server', parent, attributes: { a: 1 } });
  expect(span?.traceparent).toMatch(new RegExp(`^00-${traceId}-(?!${parentId})[0-9a-f]{16}-01$`));
  const failing = inSpan({ name: 'outer', kind: 'consumer', parent }, () =>
    inSpan({ name: 'inner', kind: 'client' }, async () => {
      expect(currentTrace()?.traceId).toBe(traceId);
      throw new TypeError('no tea');
    }),
  );
  await expect(failing).rejects.toThrow('no tea');
  await inSpan({ name: 'alone', kind: 'producer', parent: null }, async () => undefined);
  span?.end({ name: 'GET /tea', attributes: { b: 'c' } });
  await stop();

  const [outer] = collector.spans.filter(({ name }) => name === 'outer');
  const spans = [
    { name: 'GET /tea', kind: 2, parentId, attributes: { a: 1, b: 'c' }, status: 0 },
    { name: 'outer', kind: 5, parentId, status: 2 },
    { name: 'inner', kind: 3, parentId: outer?.spanId, attributes: { 'error.type': 'TypeError' }, status: 2 },
  ].map((span) => expect.objectContaining({ service: 'tea', traceId, ...span }));
  expect(collector.of(traceId)).toEqual(expect.arrayContaining(spans));
  expect(collector.of(traceId)).toHaveLength(3);
  expect(collector.spans.find(({ name }) => name === 'alone')).toMatchObject({ kind: 4, parentId: '' });
  expect(startSpan({ name: 'late', kind: 'server' })).toBeUndefined();
});

it("the trace exporter follows the caller's sampling decision and samples root spans by ratio", async () => {
  collector = await startOtlp();
  const { stop } = trace(collector.url, {
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  });
  const options = { name: 'GET', kind: 'server' } as const;
  const unsampled = startSpan({ ...options, parent: `00-${traceId}-${parentId}-00` });
  const root = startSpan({ ...options, parent: undefined });
  const sampled = startSpan({ ...options, parent: `00-${traceId}-${parentId}-01` });
  for (const span of [unsampled, root, sampled]) span?.end();
  expect(unsampled?.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
  expect(root?.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  await stop();
  expect(collector.spans.map(({ parentId }) => parentId)).toEqual([parentId]);
});

it('the trace exporter drops spans and warns once without a collector, and sends spans again when it is back', async () => {
  const port = await freePort();
  const { stop } = trace(`http://127.0.0.1:${port}`, { OTEL_EXPORTER_OTLP_TIMEOUT: '100' });
  const work = () => inSpan({ name: 'work', kind: 'internal', parent: null }, async () => undefined);
  for (let n = 0; n < 5_000; n += 1) await work();
  await until('the exporter logs that spans cannot be sent', () => lines.length > 0);
  await new Promise((resolve) => setTimeout(resolve, 1_000)); // some more attempts
  expect(lines.map(({ msg }) => msg)).toEqual(['Spans cannot be sent']);
  collector = await startOtlp(port);
  await until('the collector receives spans', async () => {
    await work();
    return (collector?.spans.length ?? 0) > 0;
  });
  await collector.stop();
  await work();
  const began = Date.now();
  await stop();
  expect(Date.now() - began).toBeLessThan(4_000);
});
