export { keepCookies } from './keep-cookies.ts';
export { minorUnit } from './money.ts';
export type { OrderEvent, OrderEventsOptions, StreamState } from './order-events.ts';
export { OutcomeUnknown } from './outcome-unknown.ts';
export { StoreProblem } from './problem.ts';
export type { ProblemCode } from './problem-codes.ts';
export type { RetryOptions } from './retry.ts';
export type {
  AccountIn as NewAccount,
  AccountOut as Account,
  AddressIn as Address,
  CancellationOut as Cancellation,
  Credentials,
  Money,
  OrderIn as NewOrder,
  OrderOut as Order,
  OrderPage,
  ProductChange,
  ProductIn as NewProduct,
  ProductOut as Product,
  StationStatus,
} from './schema.ts';
export { createStore, type Store, type StoreOptions } from './store.ts';
export type { CallOptions, FullInput, Input, ListId, OperationId, Output, Reply } from './types.ts';
