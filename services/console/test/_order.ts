export const at = '2026-01-31T09:30:00.000Z';

/** An order as the order service answers an operator (contract 4.14). */
export const order = {
  id: '00000000-0000-8000-8000-000000000001',
  customerId: '00000000-0000-8000-8000-000000000002',
  status: 'PENDING',
  total: { amount: 1, currency: 'USD' },
  items: [],
  createdAt: at,
  updatedAt: at,
  version: 1,
  cancelReason: null,
  deletedAt: null,
  events: [
    {
      id: '00000000-0000-8000-8000-000000000003',
      kind: 'OrderCreated',
      payload: '{}',
      traceId: null,
      createdAt: at,
      sentAt: at,
    },
  ],
};
