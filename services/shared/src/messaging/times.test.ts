import { answerTimeoutSeconds } from './kafka/broker-socket.ts';
import { sessionTimeoutMs } from './kafka/subscription.ts';
import { hungAfterMs, pollEveryMs, stepAsideMs } from './outbox/relay.ts';

// Times of different files that hold only together.

it('a connection waits for an answer longer than a broker holds one back, for members that rejoin', () => {
  expect(answerTimeoutSeconds * 1_000).toBeGreaterThan(sessionTimeoutMs);
});

it('a relay that steps aside does so for longer than one that stands by pauses', () => {
  expect(stepAsideMs).toBeGreaterThan(pollEveryMs);
});

it('a relay counts as hung later than a broker may take to answer it', () => {
  expect(hungAfterMs).toBeGreaterThan(answerTimeoutSeconds * 1_000);
});
