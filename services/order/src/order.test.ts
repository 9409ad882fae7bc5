import { DomainError } from '@store/shared/values/errors';
import { Decimal, total } from '@store/shared/values/money';
import { mergeLines, priceLines } from './order.ts';

const caught = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('mergeLines', () => {
  it('sums the quantities of a product and keeps the order of first occurrence', () => {
    const lines = ['b', 'a', 'b', 'c', 'a'].map((productId, index) => ({ productId, quantity: index + 1 }));
    expect(mergeLines(lines)).toEqual([
      { productId: 'b', quantity: 4 },
      { productId: 'a', quantity: 7 },
      { productId: 'c', quantity: 4 },
    ]);
  });

  it('accepts a sum of 10000 and refuses 10001', () => {
    const lines = (second: number) => [
      { productId: 'a', quantity: 9_999 },
      { productId: 'a', quantity: second },
    ];
    expect(mergeLines(lines(1))).toEqual([{ productId: 'a', quantity: 10_000 }]);
    expect(caught(() => mergeLines(lines(2)))).toMatchObject({ kind: 'invalid', errors: [{ path: 'body.items' }] });
  });

  it('handles product ids that are names of object properties', () => {
    expect(mergeLines([{ productId: '__proto__', quantity: 1 }])).toEqual([{ productId: '__proto__', quantity: 1 }]);
  });
});

describe('priceLines', () => {
  const prices = new Map([['a', new Decimal('1.5')]]);

  it('adds the price to each line', () => {
    expect(priceLines([{ productId: 'a', quantity: 2 }], prices)).toEqual([
      { productId: 'a', quantity: 2, unitPrice: new Decimal('1.5') },
    ]);
  });

  it('names every unknown product', () => {
    const lines = ['a', 'x', 'y'].map((productId) => ({ productId, quantity: 1 }));
    const error = caught(() => priceLines(lines, prices));
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({ kind: 'invalid', code: 'unknown-product', message: 'There is no product x, y.' });
    expect((error as DomainError).errors).toHaveLength(2);
  });
});

describe('total', () => {
  const sum = (currency: string, ...lines: [price: string, quantity: number][]) =>
    total(
      lines.map(([price, quantity]) => ({ unitPrice: new Decimal(price), quantity })),
      currency,
    ).amount.toFixed();

  it.each([
    ['half to even, down', 'USD', [['0.005', 1]], '0'],
    ['half to even, up', 'USD', [['0.015', 1]], '0.02'],
    [
      'rounds the sum and not its parts',
      'USD',
      [
        ['0.005', 1],
        ['0.005', 1],
      ],
      '0.01',
    ],
    ['below half', 'USD', [['0.0049', 1]], '0'],
    ['no binary fractions', 'USD', [['0.1', 3]], '0.3'],
    ['no minor unit', 'JPY', [['10.5', 1]], '10'],
    ['no minor unit, up', 'JPY', [['11.5', 1]], '12'],
    ['three decimals', 'KWD', [['0.0005', 3]], '0.002'],
    ['every digit of the largest', 'USD', [['999999999999.9999', 10_000]], '9999999999999999'],
  ] as [string, string, [string, number][], string][])('%s', (_name, currency, lines, expected) => {
    expect(sum(currency, ...lines)).toBe(expected);
  });

  it('is exact for the largest possible order', () => {
    const lines = Array.from({ length: 100 }, () => ['999999999999.9999', 10_000] as [string, number]);
    expect(sum('USD', ...lines)).toBe('999999999999999900');
  });
});
