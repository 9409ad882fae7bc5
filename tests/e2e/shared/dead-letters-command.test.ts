import { randomUUID } from 'node:crypto';
import { createPublisher } from '@store/shared/messaging/kafka/publisher';
import { createLog } from '@store/shared/observability/log';
import { execa } from 'execa';
import { root } from '../../../tools/paths.ts';
import { createSend } from '../../kit/http.ts';
import { storedEvent } from '../../kit/kafka/order-events.ts';
import { sharedStore } from '../_shared-store.ts';
import { until } from '../_store.ts';

// services/consumers tests what redrive and discard promise.

const store = sharedStore();

async function dlq(variables: Record<string, string>) {
  const command = ['--conditions=@store/source', 'tools/local/commands/dead-letters.ts'];
  const env = { OPERATOR_CREDENTIAL: store.credential, ...variables, NODE_OPTIONS: '' };
  const { exitCode, stdout, stderr } = await execa(process.execPath, command, { cwd: root, env, reject: false });
  return { exitCode, stdout, stderr };
}

// Variables of make that would otherwise do more than intended.
it.each([
  ['an empty id, which does not mean all letters', { REDRIVE: 'invoice-group', ID: ' ' }, 'ID is empty.'],
  ['a DRY_RUN other than 1', { REDRIVE: 'invoice-group', DRY_RUN: '0' }, 'DRY_RUN'],
  ['two things at once', { REDRIVE: 'invoice-group', DISCARD: 'invoice-group' }, 'only one of'],
  ['an unknown group', { REDRIVE: 'nobody' }, 'There is no group nobody.'],
  ['a discard of everything', { DISCARD: 'invoice-group', REASON: 'why not' }, 'DISCARD needs ID='],
  ['a discard without a reason', { DISCARD: 'invoice-group', ID: randomUUID() }, 'REASON='],
  ['an invalid id', { REDRIVE: 'invoice-group', ID: '17' }, 'must be'],
])('make dlq refuses %s', async (_, variables, expected) => {
  const { exitCode, stderr } = await dlq({ INVOICE_PORT: new URL(store.url('invoice')).port, ...variables });
  expect(stderr).toContain(expected);
  expect(exitCode).toBe(1);
});

it('make dlq lists, shows, redrives and discards letters, and names groups that do not answer', async () => {
  const invoice = createSend(store.url('invoice'));
  // The ports of the other services are closed, even if another store is running.
  const ports = {
    INVENTORY_PORT: '1',
    PAYMENT_PORT: '1',
    ORDER_WORKER_PORT: '1',
    NOTIFICATION_PORT: '1',
    ANALYTICS_PORT: '1',
  };
  const run = (variables = {}) =>
    dlq({ ...ports, INVOICE_PORT: new URL(store.url('invoice')).port, BY: 'ann', ...variables });
  const event = storedEvent('OrderPaid', {
    orderId: randomUUID(),
    customerId: randomUUID(),
    paymentId: randomUUID(),
    timestamp: '2031-03-01T12:00:00.000Z',
    amount: { amount: 10, currency: 'USD' } as never,
  });
  const headers = { ce_id: event.id, ce_type: 'OrderPaid' };
  const broken = { dlq_group: 'invoice-group', dlq_attempts: '3', dlq_error: 'was\nbroken\x1b[2J' };
  const poison = randomUUID();
  const publisher = createPublisher({
    brokers: store.kafkaBrokers,
    clientId: 'test',
    log: createLog('test', 'silent'),
  });
  await publisher.send('order-events-dlq', [
    { key: event.key, value: event.payload, headers: { ...headers, ...broken } },
  ]);
  await publisher.send('order-events', [{ key: poison, value: '{', headers: { ...headers, ce_id: randomUUID() } }]);
  await publisher.close();
  const letters = async (): Promise<{ id: string; orderId: string }[]> =>
    (await invoice('GET', '/internal/dead-letters', undefined, { authorization: `Bearer ${store.credential}` })).body
      .letters;
  await until('both dead letters are there', async () => (await letters()).length === 2);
  const failing = (await letters()).find(({ orderId }) => orderId === poison)?.id ?? '';

  const listed = await run();
  for (const { id, orderId } of await letters()) expect(listed.stdout).toMatch(new RegExp(`${id} .*${orderId}`));
  expect(listed.stdout).toContain('was broken [2J');
  expect(listed.stderr).toContain('payment-group: The payment service is not available');
  expect(listed.exitCode).toBe(1);
  expect(JSON.parse((await run({ ID: failing })).stdout)).toMatchObject({ id: failing, value: '{' });

  expect((await run({ REDRIVE: 'invoice-group', DRY_RUN: '1' })).stdout).toContain('invoice-group would handle it');
  expect(await letters()).toHaveLength(2);
  const redriven = await run({ REDRIVE: 'invoice-group' });
  expect(redriven.stdout).toMatch(new RegExp(`${failing}: failed again: .*not valid JSON`));
  expect(redriven.stdout).toContain('2 tried, 1 open');
  expect(redriven.exitCode).toBe(1);
  expect(await letters()).toMatchObject([{ id: failing }]);

  expect(await run({ DISCARD: 'invoice-group', ID: failing, REASON: 'a test' })).toMatchObject({ exitCode: 0 });
  const late = await run({ REDRIVE: 'invoice-group', ID: failing });
  expect(late.stdout).toMatch(/had been discarded at \S+ by ann: a test/);
  const { stdout: trail } = await run({ AUDIT: 'invoice-group' });
  expect(trail).toMatch(
    new RegExp(`${failing}  failed at \\S+ by ann: .*[^]*\n${failing}  discarded at \\S+ by ann: a test`),
  );
}, 120_000);
