import { createHash } from 'node:crypto';
import type { Decimal } from '@store/shared/values/money';
import type { PaymentProvider } from './provider.ts';

/**
 * Moves no money, and declines totals above a limit so that compensation can be observed (contract 6.1). Stateless: its
 * answer follows from the order alone.
 */
export function createBuiltInProvider(declineAbove: Decimal): PaymentProvider {
  return {
    async charge({ orderId, amount: { amount } }) {
      if (amount.greaterThan(declineAbove)) {
        return { ok: false, reason: `the total is above ${declineAbove.toFixed()}` };
      }
      return { ok: true, paymentId: paymentIdOf(orderId) };
    },
    async refund() {},
  };
}

/** A UUID from a digest (RFC 9562, version 8). */
function paymentIdOf(orderId: string): string {
  const bytes = createHash('sha256').update(`payment of order ${orderId}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
