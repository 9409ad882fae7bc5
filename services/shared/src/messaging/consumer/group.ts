import type { Transaction, TransactionOf } from '../../database/transaction.ts';
import type { Trace } from '../../observability/trace-context.ts';
import { type AccountEvent, type AccountEventKind, type EventKind, type OrderEvent, topicOf } from '../events.ts';

/** An event as it was delivered, perhaps again. */
export interface DeliveredEvent<Kind extends EventKind = EventKind> {
  event: OrderEvent<Kind>;
  /** Trace within which others are called, or events written, because of this one. */
  trace: Trace;
}

/** An event that its group has not processed before. */
export interface NewEvent<Prepared = unknown, Kind extends EventKind = EventKind> extends DeliveredEvent<Kind> {
  prepared: Prepared;
}

/** A consumer group: its name, the kinds it handles, and how (contract 6.6). One that names its kinds is told where it forgets one. */
export interface ConsumerGroup<Client, Prepared = unknown, Kind extends EventKind = EventKind> {
  /** Has offsets, and processed event ids, of its own. */
  name: string;
  /** Other kinds are skipped unread. */
  kinds: readonly Kind[];
  /**
   * Makes the calls to others that must precede the transaction, and may commit rows of its own. Repeated when an event is
   * delivered again, even if it was processed before. Throws PoisonError, or `unavailable` to make the partition wait.
   * @returns one result per event, in their order
   */
  prepare?(events: DeliveredEvent<Kind>[]): Promise<Prepared[]>;
  /**
   * Changes the database, in the transaction that also records the ids of the events. They come in their order and each
   * is of another order: the next event of an order is prepared after this transaction has been committed. Other replicas
   * handle other events meanwhile, so rows are locked in a fixed order (decisions/0022).
   * @param refuse says that an event becomes a dead letter as well, although what the handler does because of it stands
   */
  handle(events: NewEvent<Prepared, Kind>[], tx: TransactionOf<Client>, refuse: Refuse): Promise<void>;
  /** For the events of accounts, if it handles any: in the same transaction, each of another account. */
  accounts?: {
    kinds: readonly AccountEventKind[];
    handle(events: AccountEvent[], tx: TransactionOf<Client>): Promise<void>;
  };
  /** How many messages are handled together at most. More are faster; the handler may call others for all at once. */
  chunkSize: number;
  /** Time in which messages may gather. Default: none while there are few, tens of ms while there are many. */
  maxWaitMs?: number;
}

export type Refuse = (event: OrderEvent, reason: string) => void;

/** Called first in the transaction of an event; if it returns false, nothing is done. */
export type Claim = (tx: Transaction) => Promise<boolean>;

type Handled = Pick<ConsumerGroup<unknown>, 'kinds'> & { accounts?: { kinds: readonly AccountEventKind[] } };

export const kindsOf = ({ kinds, accounts }: Handled): ReadonlySet<string> =>
  new Set([...kinds, ...(accounts?.kinds ?? [])]);

export const topicsOf = (group: Handled): string[] => [...new Set([...kindsOf(group)].map(topicOf))];
