import type { Database } from '@store/shared/database/database';
import { type Statements, sql } from '@store/shared/database/sql';
import type { Transaction } from '@store/shared/database/transaction';
import { Decimal, type Money } from '@store/shared/values/money';
import type { PrismaClient } from './generated/client.ts';

export type ActionState = 'WAITING' | 'APPROVED' | 'DECLINED' | 'CANCELLED';

export type BuiltInActions = ReturnType<typeof createBuiltInActions>;

/** Actions of customers who pay with the built-in provider's test card. */
export const createBuiltInActions = ({ prisma, run }: Pick<Database<PrismaClient>, 'prisma' | 'run'>) => ({
  /** Begins an action, once. @returns its state, which may have changed since it began */
  async begin(orderId: string): Promise<ActionState> {
    await run(
      sql`insert into built_in_actions (order_id, state) values (${orderId}::uuid, 'WAITING') on conflict do nothing`,
    );
    return (await stateOf(prisma, orderId)) ?? 'WAITING';
  },

  find: (orderId: string): Promise<ActionState | undefined> => stateOf(prisma, orderId),

  /** Finds an action of a customer, with what it is about. */
  async findOwn(customerId: string, orderId: string): Promise<{ state: ActionState; total: Money } | undefined> {
    const [row] = await run<{ state: ActionState; amount: string; currency: string }>(sql`
      select built_in_actions.state, step.amount, step.currency
      from built_in_actions join payment_steps as step using (order_id)
      where order_id = ${orderId}::uuid and step.customer_id = ${customerId}::uuid
      order by step.created_at limit 1`);
    return row && { state: row.state, total: { amount: new Decimal(row.amount), currency: row.currency } };
  },

  cancel: (orderId: string): Promise<unknown> => endAction({ run }, orderId, 'CANCELLED'),
});

async function stateOf(prisma: PrismaClient, orderId: string): Promise<ActionState | undefined> {
  const row = await prisma.builtInAction.findUnique({ where: { orderId } });
  return row?.state as ActionState | undefined; // checked by the database
}

/** Ends an action that waits, for good. @returns false if it does not wait */
async function endAction({ run }: Statements, orderId: string, state: ActionState): Promise<boolean> {
  const ended = await run(sql`
    update built_in_actions set state = ${state} where order_id = ${orderId}::uuid and state = 'WAITING' returning 1`);
  return ended.length > 0;
}

export const decideAction = (tx: Transaction, orderId: string, state: 'APPROVED' | 'DECLINED'): Promise<boolean> =>
  endAction(tx, orderId, state);
