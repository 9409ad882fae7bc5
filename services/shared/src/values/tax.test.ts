import fc from 'fast-check';
import { Decimal, fromMinorUnits, toMinorUnits, total } from './money.ts';
import { allocate, leftOf, sharesOf, type TaxShare, taxIn, taxShares } from './tax.ts';

/** The long form has 34,000, so 10^5 orders in all. */
const numRuns = Number(process.env.TAX_RUNS ?? 1_000);

const amount = fc.bigInt({ min: 0n, max: 10n ** 24n });
const fewUnits = fc.bigInt({ min: 0n, max: 50n });
const sum = (amounts: bigint[]) => amounts.reduce((all, one) => all + one, 0n);
const grossOf = (shares: TaxShare[]) => sum(shares.map(({ gross }) => gross));

describe('allocate', () => {
  it.each([
    [100n, [1n, 1n, 1n], [34n, 33n, 33n]],
    [1n, [1n, 1n], [1n, 0n]],
    [1n, [1n, 2n], [0n, 1n]],
    [10n, [0n, 3n, 0n, 3n], [0n, 5n, 0n, 5n]],
    [3n, [5n, 3n, 1n], [2n, 1n, 0n]],
    [7n, [7n], [7n]],
    [0n, [3n, 4n], [0n, 0n]],
    [0n, [0n, 0n], [0n, 0n]],
    [0n, [], []],
  ])('%s by %j is %j', (whole, weights, parts) => {
    expect(allocate(whole, weights)).toEqual(parts);
  });

  it.each([
    [-1n, [1n]],
    [1n, [2n, -1n]],
    [1n, []],
    [1n, [0n, 0n]],
  ])('refuses %s by %j', (whole, weights) => {
    expect(() => allocate(whole, weights)).toThrow(RangeError);
  });

  it('gives parts that add up to the amount, each its exact quotient rounded down or up', () => {
    const weights = fc
      .array(fc.oneof(fewUnits, amount), { minLength: 1, maxLength: 12 })
      .filter((all) => sum(all) > 0n);
    fc.assert(
      fc.property(fc.oneof(fewUnits, amount), weights, (whole, all) => {
        const parts = allocate(whole, all);
        expect(sum(parts)).toBe(whole);
        parts.forEach((part, position) => {
          const exact = whole * (all[position] ?? 0n);
          const down = exact / sum(all);
          expect([down, exact % sum(all) === 0n ? down : down + 1n]).toContain(part);
        });
      }),
    );
  });
});

describe('taxIn', () => {
  it.each([
    [12300n, 230, 2300n],
    [10000n, 0, 0n],
    [0n, 230, 0n],
    [10000n, 190, 1597n],
    [1n, 1000, 0n], // 0.5, to even
    [3n, 1000, 2n], // 1.5, to even
    [5n, 1000, 2n], // 2.5, to even
    [8n, 230, 1n],
  ])('%s at %i is %s', (gross, permille, tax) => {
    expect(taxIn(gross, permille)).toBe(tax);
  });

  it('and the net amount never decrease as the amount grows', () => {
    fc.assert(
      fc.property(fc.oneof(fewUnits, amount), fc.integer({ min: 0, max: 1_000 }), (gross, permille) => {
        const more = taxIn(gross + 1n, permille) - taxIn(gross, permille);
        expect([0n, 1n]).toContain(more);
      }),
    );
  });
});

describe('taxShares', () => {
  const line = (permille: number, text: string) => ({ permille, amount: new Decimal(text) });
  it.each([
    ['of one rate', 300n, [line(230, '1.5'), line(230, '1.5')], [{ permille: 230, gross: 300n }]],
    [
      'of two rates, in ascending order',
      700n,
      [line(230, '2'), line(60, '4'), line(230, '1')],
      [
        { permille: 60, gross: 400n },
        { permille: 230, gross: 300n },
      ],
    ],
    // Each alone is rounded to 0.
    ['that round together only', 1n, [line(60, '0.0049'), line(230, '0.0049')], [{ permille: 60, gross: 1n }]],
    ['of nothing', 0n, [line(230, '0.0049')], []],
  ])('%s', (_, whole, lines, shares) => {
    expect(taxShares(whole, lines)).toEqual(shares);
  });
});

describe('sharesOf', () => {
  const taxes = [
    { permille: 60, gross: 400n },
    { permille: 230, gross: 300n },
  ];
  it.each([
    ['everything', 700n, [], [], taxes],
    [
      'a part, in proportion',
      100n,
      [],
      [],
      [
        { permille: 60, gross: 57n },
        { permille: 230, gross: 43n },
      ],
    ],
    ['what another refund has left', 300n, [{ permille: 60, gross: 400n }], [], [{ permille: 230, gross: 300n }]],
    ['a returned line', 100n, [], [{ permille: 230, gross: 100n }], [{ permille: 230, gross: 100n }]],
    [
      'more of a line than is left at its rate',
      100n,
      [{ permille: 230, gross: 260n }],
      [{ permille: 230, gross: 100n }],
      [
        { permille: 60, gross: 60n },
        { permille: 230, gross: 40n },
      ],
    ],
    ['nothing', 0n, [], [], []],
  ])('of %s', (_, refund, refunded, wanted, shares) => {
    expect(sharesOf(refund, taxes, refunded, wanted)).toEqual(shares);
  });

  it('refuses more than is left', () => {
    expect(() => sharesOf(700n, taxes, [{ permille: 60, gross: 1n }])).toThrow(RangeError);
  });
});

describe.each(['USD', 'JPY', 'KWD'])('of orders in %s', (currency) => {
  const prices = fc.bigInt({ min: 1n, max: 10n ** 9n }).map((units) => new Decimal(units.toString()).dividedBy(10_000));
  const lines = fc.array(
    fc.record({
      unitPrice: prices,
      quantity: fc.integer({ min: 1, max: 20 }),
      permille: fc.oneof(fc.constantFrom(0, 60, 130, 230), fc.integer({ min: 0, max: 1_000 })),
    }),
    { minLength: 1, maxLength: 8 },
  );
  /** Sizes of refunds in parts of the order, with the lines that each returns. */
  const refunds = fc.array(
    fc.record({ permille: fc.integer({ min: 0, max: 1_000 }), line: fc.option(fc.nat({ max: 7 })) }),
    { maxLength: 6 },
  );

  it('refunds and the rest add up to the order, at every rate, gross and tax', () => {
    fc.assert(
      fc.property(lines, refunds, (ordered, parts) => {
        const whole = toMinorUnits(total(ordered, currency));
        const taxes = taxShares(
          whole,
          ordered.map(({ unitPrice, quantity, permille }) => ({ permille, amount: unitPrice.times(quantity) })),
        );
        expect(grossOf(taxes)).toBe(whole);

        const refunded: TaxShare[] = [];
        const taxed = new Map<number, bigint>();
        const refund = (amount: bigint, wanted: TaxShare[] = []) => {
          const shares = sharesOf(amount, taxes, refunded, wanted);
          expect(grossOf(shares)).toBe(amount);
          for (const { permille, gross } of shares) {
            const before = grossOf(refunded.filter((share) => share.permille === permille));
            const tax = taxIn(before + gross, permille) - taxIn(before, permille);
            expect(tax >= 0n && tax <= gross).toBe(true);
            taxed.set(permille, (taxed.get(permille) ?? 0n) + tax);
          }
          refunded.push(...shares);
          for (const { gross } of leftOf(taxes, refunded)) expect(gross >= 0n).toBe(true);
        };
        for (const { permille, line } of parts) {
          const left = whole - grossOf(refunded);
          const size = (whole * BigInt(permille)) / 1_000n;
          const amount = size < left ? size : left;
          const returned = line === null ? undefined : ordered[line % ordered.length];
          refund(amount, returned && [{ permille: returned.permille, gross: amount }]);
        }
        refund(whole - grossOf(refunded));

        expect(leftOf(taxes, refunded).map(({ gross }) => gross)).toEqual(taxes.map(() => 0n));
        for (const { permille, gross } of taxes) expect(taxed.get(permille) ?? 0n).toBe(taxIn(gross, permille));
        expect(toMinorUnits(fromMinorUnits(whole, currency))).toBe(whole);
      }),
      { numRuns },
    );
  });
});
