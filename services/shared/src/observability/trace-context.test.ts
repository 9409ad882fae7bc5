import { setTimeout as wait } from 'node:timers/promises';
import { currentTrace, runInTrace, traceFrom } from './trace-context.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const requestId = '11111111-2222-4333-8444-555555555555';

it('continues the trace of the caller in a new span', () => {
  for (const flags of ['00', '01', '03']) {
    const trace = traceFrom(`00-${traceId}-b7ad6b7169203331-${flags}`, requestId);
    expect(trace.traceId).toBe(traceId);
    expect(trace.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-${flags}$`));
    expect(trace.traceparent).not.toContain('b7ad6b7169203331');
  }
});

it.each([
  [undefined],
  [''],
  ['x'],
  [`00-${traceId.toUpperCase()}-b7ad6b7169203331-01`],
  [`00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
  [`00-${traceId}-${'0'.repeat(16)}-01`],
  [`ff-${traceId}-b7ad6b7169203331-01`],
  [`00-${traceId}-b7ad6b7169203331-04`],
  [`00-${traceId}-b7ad6b7169203331-01-more`],
  [`00-${traceId}-b7ad6b7169203331-01\nx`],
])('ignores the traceparent %j: the trace id comes from the request id, or is random', (traceparent) => {
  expect(traceFrom(traceparent, requestId).traceId).toBe('11111111222243338444555555555555');
  const [one, other] = [traceFrom(traceparent), traceFrom(traceparent, 'no-uuid')];
  expect(one.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(one.traceId).not.toBe(other.traceId);
});

it('is the current trace within its work and nowhere else', async () => {
  const work = (id: string) =>
    runInTrace(traceFrom(`00-${id}-b7ad6b7169203331-01`), async () => {
      await wait(1);
      return currentTrace()?.traceId;
    });
  const ids = ['1', '2', '3'].map((digit) => digit.repeat(32));
  expect(await Promise.all(ids.map(work))).toEqual(ids);
  expect(currentTrace()).toBeUndefined();
});
