import type { Database } from '@store/shared/database/database';
import type { Transaction } from '@store/shared/database/transaction';
import { wakeOutgoing } from '@store/shared/outgoing/outgoing';
import type { Job } from '@store/shared/service/service';
import { loop } from '@store/shared/values/loop';
import type { PrismaClient } from './generated/client.ts';
import { endTurn, type ListingRepository } from './listing-repository.ts';
import { paymentsOn } from './payment-repository.ts';
import type { PaymentProvider, ProviderChange } from './providers/provider.ts';
import { queueName, stepsOn } from './step-repository.ts';

/**
 * Has the intents read of which the provider says that something has happened. What it says is not trusted further, so it may come late,
 * repeatedly, in any order, or about another's intent.
 */
export async function checkChanged(tx: Transaction, changes: ProviderChange[]): Promise<void> {
  const payments = await paymentsOn(tx).ofIntents(changes.map(({ intentId }) => intentId));
  // What is paid needs no reading because it was paid. What is over must not be paid.
  const again = new Set<string>();
  const waiting = new Set<string>();
  for (const { intentId, of } of changes) {
    const payment = payments.get(intentId);
    if (payment === undefined) continue;
    const isOver = payment.status === 'FAILED' || payment.status === 'CANCELLED';
    (of === 'captured' || isOver ? again : waiting).add(payment.orderId);
  }
  const steps = stepsOn(tx);
  if (again.size > 0) steps.check([...again], { settled: true });
  if (waiting.size > 0) steps.check([...waiting], { settled: false });
  if (again.size + waiting.size > 0) wakeOutgoing(tx, queueName);
}

const everySeconds = 60;
/** A replica that has ended while it listed is replaced after this time. */
const turnSeconds = 180;

/** Lists what has happened at the provider once a minute, in one replica at a time: callbacks may be lost. */
export function listChanges(
  listings: ListingRepository,
  inTransaction: Database<PrismaClient>['inTransaction'],
  provider: Pick<PaymentProvider, 'name' | 'changesSince'>,
): Job {
  const { name } = provider;

  return loop({ name: `changes at ${name}`, everyMs: 5_000 }, async () => {
    const turn = await listings.takeTurn(name, turnSeconds);
    if (turn === undefined) return;
    const { changes, cursor } = await provider.changesSince(turn.cursor ?? undefined);
    await inTransaction(async (tx) => {
      await checkChanged(tx, changes);
      endTurn(tx, name, cursor, everySeconds);
    });
  });
}
