import { currencies, minorUnit } from './currencies.ts';

it.each([
  [0, 'CLP ISK JPY KRW PYG UGX UYI VND XAF XOF XPF'],
  [2, 'USD EUR GBP CHF CZK INR MRU TWD UYU ZWG'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
  // The ICU of Node 24 and of browsers has fewer, as of CLDR 48.
  [2, 'AFN ALL COP HUF IDR IRR KPW LAK LBP MGA MMK PKR SOS SYP YER'],
])('%i decimals have %s', (digits, codes) => {
  expect(codes.split(' ').map((code) => [code, minorUnit(code)])).toEqual(
    codes.split(' ').map((code) => [code, digits]),
  );
});

it('has as many currencies of each minor unit as list one of ISO 4217', () => {
  const counts = [0, 2, 3, 4].map((digits) => currencies.filter((code) => minorUnit(code) === digits).length);
  expect(counts).toEqual([17, 139, 7, 2]);
  expect(new Set(currencies).size).toBe(165);
  for (const code of currencies) expect(code).toMatch(/^[A-Z]{3}$/);
});

it.each(['BGN', 'HRK', 'DEM', 'XAU', 'XTS', 'XXX', 'usd', 'constructor'])('%s is not a currency', (code) => {
  expect(currencies).not.toContain(code);
});

it('writes a withdrawn currency of old orders and invoices with two decimals', () => {
  expect(['BGN', 'DEM', 'XTS', 'constructor'].map(minorUnit)).toEqual([2, 2, 2, 2]);
});
