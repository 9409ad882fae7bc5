import { randomUUID } from 'node:crypto';
import { ConfigError, readConfig } from '@store/shared/values/environment';
import { uuid } from '@store/shared/values/fields';
import { Decimal } from '@store/shared/values/money';
import { createBuiltInProvider } from '../src/built-in-provider.ts';
import { configSchema } from '../src/config.ts';
import { alice } from './_payments.ts';

const charge = (amount: string, limit = '100000', orderId: string = randomUUID()) =>
  createBuiltInProvider(new Decimal(limit)).charge({
    orderId,
    customerId: alice,
    amount: { amount: new Decimal(amount), currency: 'USD' },
  });

test.each([
  ['100000', '100000', true],
  ['100000.0000', '100000', true],
  ['99999.9999', '100000', true],
  ['100000.0001', '100000', false],
  ['1e5', '100000', true],
  ['0', '0', true],
  ['0.0001', '0', false],
  ['0.3', '0.3', true],
  ['99999999999999999999999.9999', '99999999999999999999999.9999', true],
  ['100000000000000000000000', '99999999999999999999999.9999', false],
])('built-in provider with an amount of %s and a limit of %s charges: %s', async (amount, limit, ok) => {
  expect(await charge(amount, limit)).toMatchObject({ ok });
});

test('built-in provider returns the same payment id for an order, and another for another order', async () => {
  const orderId = randomUUID();
  const [first, again, other] = [await charge('1', '2', orderId), await charge('1', '2', orderId), await charge('1')];
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  if (!first.ok) throw new Error(first.reason);
  expect(uuid.parse(first.paymentId)).toBe(first.paymentId);
  expect(first.paymentId).toMatch(/^.{14}8.{4}[89ab]/);
});

describe('PAYMENT_DECLINE_ABOVE', () => {
  const given = { DATABASE_URL: 'postgresql://u:p@h/d', KAFKA_BROKERS: 'h:1' };

  it('defaults to 100000 and accepts an exact decimal', () => {
    expect(readConfig(configSchema, given).PAYMENT_DECLINE_ABOVE.toFixed()).toBe('100000');
    const exact = { ...given, PAYMENT_DECLINE_ABOVE: '123456789012345678901234.5678' };
    expect(readConfig(configSchema, exact).PAYMENT_DECLINE_ABOVE.toFixed()).toBe('123456789012345678901234.5678');
  });

  it.each(['-1', '1e5', '1,000', 'none', '1.00001', ' 1', 'Infinity'])('rejects "%s"', (PAYMENT_DECLINE_ABOVE) => {
    expect(() => readConfig(configSchema, { ...given, PAYMENT_DECLINE_ABOVE })).toThrow(ConfigError);
  });
});
