import { answerTimeoutSeconds } from './kafka/broker-socket.ts';
import { sessionTimeoutMs } from './kafka/subscription.ts';
import { hungAfterMs, pollEveryMs, stepAsideMs } from './outbox/relay.ts';

// Relations between times of different files.

it('a connection waits for an answer longer than a broker delays it, while members rejoin', () => {
  expect(answerTimeoutSeconds * 1_000).toBeGreaterThan(sessionTimeoutMs);
});

it('a relay steps aside for longer than a standby pauses between polls', () => {
  expect(stepAsideMs).toBeGreaterThan(pollEveryMs);
});

it('a relay counts as hung only after a broker must have answered it', () => {
  expect(hungAfterMs).toBeGreaterThan(answerTimeoutSeconds * 1_000);
});
