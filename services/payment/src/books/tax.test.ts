import { Decimal } from '@store/shared/values/money';
import fc from 'fast-check';
import { chargedShares, taxesOfRefund, taxOf } from './tax.ts';

const taxes = [
  { permille: 230, gross: new Decimal('12.30') },
  { permille: 0, gross: new Decimal('5.00') },
];

it('the tax of a charge is that of its rates', () => {
  const shares = chargedShares(1730n, taxes, 'USD');
  expect(shares).toEqual([
    { permille: 0, gross: 500n },
    { permille: 230, gross: 1230n },
  ]);
  expect(taxOf(shares)).toBe(230n);
  expect(taxOf(chargedShares(1730n, undefined, 'USD'))).toBe(0n);
});

it('shares that do not add up to the amount are kept in proportion', () => {
  expect(taxOf(chargedShares(3460n, taxes, 'USD'))).toBe(460n);
  expect(chargedShares(100n, [{ permille: 230, gross: new Decimal(0) }], 'USD')).toEqual([]);
});

it('the taxes of refunds add up to that of the charge, however it is divided', () => {
  const rate = fc.record({ permille: fc.constantFrom(0, 55, 190, 230), gross: fc.integer({ min: 1, max: 100_000 }) });
  const rates = fc.uniqueArray(rate, { selector: ({ permille }) => permille, minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(rates, fc.array(fc.integer({ min: 1, max: 1000 }), { maxLength: 6 }), (given, parts) => {
      const total = BigInt(given.reduce((all, { gross }) => all + gross, 0));
      const shares = chargedShares(
        total,
        given.map(({ permille, gross }) => ({ permille, gross: new Decimal(gross) })),
        'JPY',
      );
      const amounts: bigint[] = [];
      for (const part of parts) {
        const left = total - amounts.reduce((all, amount) => all + amount, 0n);
        const amount = (left * BigInt(part)) / 1000n;
        if (amount > 0n) amounts.push(amount);
      }
      const left = total - amounts.reduce((all, amount) => all + amount, 0n);
      if (left > 0n) amounts.push(left);
      const refunded = amounts.map((amount, index) => taxesOfRefund(amount, shares, amounts.slice(0, index)).tax);
      expect(refunded.reduce((all, tax) => all + tax, 0n)).toBe(taxOf(shares));
      for (const [index, tax] of refunded.entries()) expect(tax >= 0n && tax <= (amounts[index] ?? 0n)).toBe(true);
    }),
  );
});

it('a refund of more than is left has the shares of what is left', () => {
  const shares = chargedShares(1730n, taxes, 'USD');
  expect(taxesOfRefund(1730n, shares, [1730n])).toEqual({ shares: [], tax: 0n });
  const first = taxesOfRefund(1000n, shares, []);
  const second = taxesOfRefund(1000n, shares, [1000n]);
  expect(first.tax + second.tax).toBe(230n);
  expect(second.shares).toEqual([
    { permille: 0, gross: 211n },
    { permille: 230, gross: 519n },
  ]);
});
