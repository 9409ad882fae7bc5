import { DomainError } from '@store/shared/values/errors';
import { Decimal } from '@store/shared/values/money';
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
  const products = new Map([['a', { name: 'Tea', price: new Decimal('1.5') }]]);

  it('adds name and price to each line', () => {
    expect(priceLines([{ productId: 'a', quantity: 2 }], products)).toEqual([
      { productId: 'a', quantity: 2, name: 'Tea', unitPrice: new Decimal('1.5') },
    ]);
  });

  it('names every unknown product', () => {
    const lines = ['a', 'x', 'y'].map((productId) => ({ productId, quantity: 1 }));
    const error = caught(() => priceLines(lines, products));
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({ kind: 'invalid', code: 'unknown-product', message: 'There is no product x, y.' });
    expect((error as DomainError).errors).toHaveLength(2);
  });
});
