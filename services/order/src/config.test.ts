import { readConfig } from '@store/shared/values/environment';
import { configSchema, workerConfigSchema } from './config.ts';

const read = (currency: string) =>
  readConfig(configSchema, {
    DATABASE_URL: 'postgresql://unused',
    PRODUCT_URL: 'http://product',
    AUTH_URL: 'http://auth',
    STORE_CURRENCY: currency,
  }).STORE_CURRENCY;

it.each(['USD', 'HUF', 'XCG', 'UYW', ''])('accepts the currency %j', (currency) => {
  expect(read(currency)).toBe(currency || 'USD');
});

it.each(['DEM', 'BGN', 'XAU', 'XXX', 'usd', 'US'])(
  'rejects %s, which ISO 4217 does not list with a minor unit',
  (code) => {
    expect(() => read(code)).toThrow('STORE_CURRENCY: must be a currency that ISO 4217 lists today, such as USD');
  },
);

const shipAfter = (value: string) =>
  readConfig(workerConfigSchema, {
    DATABASE_URL: 'postgresql://unused',
    KAFKA_BROKERS: 'unused:1',
    SHIP_AFTER_SECONDS: value,
  }).SHIP_AFTER_SECONDS;

it.each([
  ['', 60],
  ['0', 0],
  ['31536000', 31_536_000],
  ['never', 'never'],
])('ships after %j', (value, expected) => {
  expect(shipAfter(value)).toBe(expected);
});

it.each(['Never', '-1', '1.5', '31536001', 'false'])('does not ship after %s', (value) => {
  expect(() => shipAfter(value)).toThrow('SHIP_AFTER_SECONDS: must be');
});
