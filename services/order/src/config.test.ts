import { readConfig } from '@store/shared/values/environment';
import { configSchema } from './config.ts';

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
