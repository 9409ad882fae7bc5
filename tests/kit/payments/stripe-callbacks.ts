import Stripe from 'stripe';
import type { StripeEvent } from './stripe-account.ts';

/** How a callback is sent: before its request is answered, after a pause, twice, or not at all. */
export type Delivery = { sent: 'early' } | { sent: 'late'; ms: number } | { sent: 'twice' } | { sent: 'never' };

export interface CallbackTarget {
  url: string;
  secret: string;
  /** Default: `late` by a few milliseconds. */
  deliveryOf?: (event: StripeEvent) => Delivery;
}

const { webhooks } = new Stripe('sk_test_of_nobody');

/**
 * Sends callbacks as Stripe does, signed with its own package.
 * @param now the provider's clock, in milliseconds
 */
export function createStripeCallbacks(now: () => number) {
  let target: CallbackTarget | undefined;
  const underWay = new Set<Promise<unknown>>();
  const timers = new Set<NodeJS.Timeout>();
  /** The statuses of the answers, 0 for none. */
  const answers: number[] = [];

  async function post(payload: string, secret: string): Promise<number> {
    const timestamp = Math.floor(now() / 1000);
    const signature = webhooks.generateTestHeaderString({ payload, secret, timestamp });
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature };
    const signal = AbortSignal.timeout(10_000);
    const sent = fetch(target?.url ?? '', { method: 'POST', headers, body: payload, signal }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );
    underWay.add(sent);
    const status = await sent;
    underWay.delete(sent);
    return status;
  }

  const sendNow = async (event: StripeEvent) => {
    if (target === undefined) return;
    answers.push(await post(JSON.stringify(event), target.secret));
  };

  function sendLater(event: StripeEvent, ms: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      void sendNow(event);
    }, ms);
    timers.add(timer);
  }

  return {
    answers,
    sendTo(next: CallbackTarget | undefined): void {
      target = next;
    },
    /** @returns when a callback that is early has been answered; at once for others */
    async deliver(event: StripeEvent): Promise<void> {
      if (target === undefined) return undefined;
      const delivery = target.deliveryOf?.(event) ?? { sent: 'late', ms: 5 };
      switch (delivery.sent) {
        case 'early':
          return sendNow(event);
        case 'late':
          return sendLater(event, delivery.ms);
        case 'twice':
          sendLater(event, 5);
          return sendLater(event, 50);
        case 'never':
          return undefined;
      }
    },
    /** Sends what somebody without the secret could. @returns the status of the answer */
    forge: (event: object, secret = 'whsec_of_somebody_else') => post(JSON.stringify(event), secret),
    /** Sends a callback of an event again, long after it. @returns the status of the answer */
    replay: (event: StripeEvent) => post(JSON.stringify(event), target?.secret ?? ''),
    /** Sends no more, and waits for the answers to those that are under way. */
    async stop(): Promise<void> {
      target = undefined;
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(underWay);
    },
  };
}
