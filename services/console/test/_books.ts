import { order } from './_order.ts';

const at = '2026-03-02T03:40:00.000Z';
const usd = (amount: number) => ({ amount, currency: 'USD' });
const movement = (id: string, amount: number) => ({ id, amount: usd(amount), at: '2026-03-01T12:00:00.000Z' });

/** A run over two days, which found one difference of each kind. */
export const reconciliations = [
  {
    ...{ provider: 'stripe', hasList: true, from: '2026-02-28T00:00:00.000Z', to: '2026-03-01T00:00:00.000Z', at },
    ...{ there: 12, here: 12, missingHere: 0, missingThere: 0, different: 0, differences: [], problems: [] },
  },
  {
    ...{ provider: 'stripe', hasList: true, from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z', at },
    ...{
      there: 9,
      here: 9,
      missingHere: 1,
      missingThere: 1,
      different: 1,
      problems: ['2 payments are not in the books yet.'],
    },
    differences: [
      { what: 'missing-here', kind: 'refund', subject: order.id, there: movement('txn_1', -12.5), here: null },
      { what: 'missing-there', kind: 'charge', subject: order.id, there: null, here: movement(order.id, 20) },
      {
        what: 'different',
        kind: 'dispute',
        subject: 'pi_3ABC',
        there: movement('txn_2', -7),
        here: movement(order.id, -8),
      },
    ],
  },
];

export const booksOf = (more: object = {}) => ({
  balances: [
    { account: 'provider', side: 'debit', balance: usd(1234.5) },
    { account: 'revenue', side: 'credit', balance: usd(900) },
    { account: 'tax', side: 'credit', balance: usd(100) },
    { account: 'unearned', side: 'credit', balance: usd(234.5) },
  ],
  unbooked: 0,
  problems: [],
  reconciliations,
  ...more,
});

export const entries = [
  {
    ...{ id: '0b0b0b0b-0000-4000-8000-000000000001', kind: 'charge', at },
    lines: [
      { account: 'provider', amount: usd(12.5) },
      { account: 'unearned', amount: usd(-12.5) },
    ],
  },
];

const sent = { orderId: order.id, amount: usd(4.25), createdAt: at, updatedAt: at };
export const failedRefund = {
  ...{ ...sent, id: '7c9e6679-7425-40de-944b-e07fc1f90aea', kind: 'refund', state: 'FAILED', source: 'provider' },
  failure: 'The provider has refused it.',
};
export const dispute = { ...sent, id: '7c9e6679-7425-40de-944b-e07fc1f90aeb', kind: 'dispute', state: 'OPEN' };
