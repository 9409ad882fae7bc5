export const at = '2026-01-31T09:30:00.000Z';

/** An order as the order service returns it to operators (contract 4.14). */
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
  notes: [],
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

/** A dead letter of that order (contract 4.13). */
export const aLetter = {
  id: '00000000-0000-8000-8000-000000000004',
  eventId: null,
  kind: 'OrderPaid',
  orderId: order.id,
  attempts: 3,
  error: 'broken',
  time: at,
  origin: 'order-events 0:1',
  value: '{}',
};
