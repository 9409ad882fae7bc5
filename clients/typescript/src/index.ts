export type { OrderEvent, OrderEventsOptions } from './order-events.ts';
export { StoreProblem } from './problem.ts';
export type { RetryOptions } from './retry.ts';
export type {
  AccountIn as NewAccount,
  AccountOut as Account,
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
export {
  type CallOptions,
  createStore,
  type Input,
  type ListId,
  type OperationId,
  type Output,
  type Store,
  type StoreOptions,
} from './store.ts';
