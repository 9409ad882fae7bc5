import type { Transaction, TransactionOf } from '../../database/transaction.ts';
import type { Trace } from '../../observability/trace-context.ts';
import { type AccountEvent, type AccountEventKind, type EventKind, type OrderEvent, topicOf } from '../events.ts';

/** A delivered event, possibly a redelivered one. */
export interface DeliveredEvent<Kind extends EventKind = EventKind> {
  event: OrderEvent<Kind>;
  /** Trace for the calls and events that this event causes. */
  trace: Trace;
}

/** An event that its group has not processed before. */
export interface NewEvent<Prepared = unknown, Kind extends EventKind = EventKind> extends DeliveredEvent<Kind> {
  prepared: Prepared;
}

/** A consumer group: its name, the kinds that it handles, and how (contract 6.6). With `Kind` named, an unhandled kind is a type error. */
export interface ConsumerGroup<Client, Prepared = unknown, Kind extends EventKind = EventKind> {
  /** Offsets and processed event ids are kept per group name. */
  name: string;
  /** Other kinds are skipped without parsing. */
  kinds: readonly Kind[];
  /**
   * The kinds that somebody wants now; messages of others are skipped without parsing. It is asked after messages were fetched, so
   * whoever wanted them when they were published is known. Default: all.
   */
  wanted?(): Promise<ReadonlySet<string>>;
  /**
   * Calls other services before the transaction, and may commit rows of its own. Repeated if an event is redelivered, even
   * if it was processed before. Throws PoisonError, or `unavailable` to make the partition wait.
   * @returns one result per event, in the order of the events
   */
  prepare?(events: DeliveredEvent<Kind>[]): Promise<Prepared[]>;
  /**
   * Changes the database, in the transaction that also records the ids of the events. The events come in order, and each is
   * of a different order (but see `takesSeveralPerOrder`): the next event of an order is prepared after this transaction has been
   * committed. Other replicas
   * handle other events concurrently, so rows must be locked in a fixed order (decisions/0022).
   * @param refuse makes an event a dead letter, although the handler's changes for it are kept
   */
  handle(events: NewEvent<Prepared, Kind>[], tx: TransactionOf<Client>, refuse: Refuse): Promise<void>;
  /** For account events, if the group handles any: in the same transaction, each of a different account. */
  accounts?: {
    kinds: readonly AccountEventKind[];
    handle(events: AccountEvent[], tx: TransactionOf<Client>): Promise<void> | void;
  };
  /**
   * The handler takes several events of one order in one call, those of an order in their order. Nothing is prepared. Default: each
   * event of a call is of a different order.
   */
  takesSeveralPerOrder?: true;
  /** The most messages that are handled together. More are faster; the handler may make one call for all of them. */
  chunkSize: number;
  /** Time for messages to gather, in ms. Default: none while there are few, tens of ms while there are many. */
  maxWaitMs?: number;
}

export type Refuse = (event: OrderEvent, reason: string) => void;

/** Called first in the transaction of an event; if it returns false, nothing is done. */
export type Claim = (tx: Transaction) => Promise<boolean>;

type Handled = Pick<ConsumerGroup<unknown>, 'kinds'> & { accounts?: { kinds: readonly AccountEventKind[] } };

export const kindsOf = ({ kinds, accounts }: Handled): ReadonlySet<string> =>
  new Set([...kinds, ...(accounts?.kinds ?? [])]);

export const topicsOf = (group: Handled): string[] => [...new Set([...kindsOf(group)].map(topicOf))];
