import { type OrderEvent, StoreProblem } from '@store-platform/client';
import { store } from './store.ts';
import { openChannel } from './tabs.ts';

/**
 * News for the other tabs from the tab that reads the stream. `anew`: changes may have been missed, so earlier reads may be out of
 * date.
 */
export type News = { is: 'live'; anew: boolean } | { is: 'paused'; why: string } | { is: 'change'; change: OrderEvent };

/** The store sends a heartbeat every 15 s (contract 4.11). */
const silentMs = 20_000;
/** Browsers may suspend the tab that reads the stream. */
const unheardMs = 10_000;
const refreshes = 'This page refreshes every 10 seconds.';
const paused = `Live updates paused. ${refreshes}`;
const tooMany = `Live updates paused: your account is open in too many places. ${refreshes}`;
/** Without a lock every tab would need a stream, and a browser opens only six connections to a store over plain HTTP. */
const withoutLocks = `Live updates need HTTPS. ${refreshes}`;
const withoutStorage = `Live updates need the browser's storage, which is blocked. ${refreshes}`;

/**
 * Follows the changes of an account's orders until the signal. The tabs of a browser share a stream: the tab with the lock reads it and
 * tells the others. When that tab is gone, even by a crash, the next tab resumes after the last change that it received.
 * @returns rejects if the store refuses, such as after the end of the session
 */
export async function followOrders(
  accountId: string,
  onNews: (news: News) => void,
  signal: AbortSignal,
): Promise<void> {
  if (!('locks' in navigator)) return onNews({ is: 'paused', why: withoutLocks });
  const name = `shop.orders.${accountId}`;
  const channel = openChannel(name);
  if (!channel) return onNews({ is: 'paused', why: withoutStorage });
  const unheard = setTimeout(() => onNews({ is: 'paused', why: paused }), unheardMs);
  signal.addEventListener('abort', () => {
    clearTimeout(unheard);
    channel.close();
  });

  let lastEventId: string | undefined;
  let isNewcomer = true;
  function take(news: News): void {
    clearTimeout(unheard);
    if (news.is === 'change') lastEventId = news.change.id;
    onNews(news.is === 'live' ? { is: 'live', anew: news.anew || isNewcomer } : news);
    if (news.is === 'live') isNewcomer = false;
  }
  channel.onmessage = ({ data }: MessageEvent<News | 'hello'>) => data !== 'hello' && take(data);
  channel.postMessage('hello');

  const read = async () => {
    let state: News | undefined;
    channel.onmessage = ({ data }) => data === 'hello' && state && channel.postMessage(state);
    const tell = (news: News) => {
      if (news.is === 'paused') state = news;
      if (news.is === 'live') state = { is: 'live', anew: false };
      channel.postMessage(news);
      take(news);
    };
    let why = paused;
    // Without an id the store says where changes start: onStart.
    let hasBegun = lastEventId !== undefined;
    const onStart = () => {
      hasBegun = true;
      tell({ is: 'live', anew: true });
    };
    const changes = store.orderEvents({
      signal,
      lastEventId,
      silentMs,
      onStart,
      attempts: Number.POSITIVE_INFINITY,
      onError: (error) => {
        why = error instanceof StoreProblem && error.status === 429 ? tooMany : paused;
      },
      onState: (stream) => {
        if (stream === 'waiting') tell({ is: 'paused', why });
        if (stream === 'open') why = paused;
        if (stream === 'open' && hasBegun) tell({ is: 'live', anew: false });
      },
    });
    for await (const change of changes) tell({ is: 'change', change });
  };
  try {
    await navigator.locks.request(name, { signal }, read);
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'SecurityError')) throw error;
    take({ is: 'paused', why: withoutStorage });
  }
}
