import type { Statements } from '../../database/sql.ts';
import type { Logger } from '../../observability/log.ts';
import { sleep } from '../../values/time.ts';
import { brokerError } from '../kafka/client.ts';
import { type ReceivedMessage, readMessage, writableHeaders } from '../kafka/messages.ts';
import type { Sender } from '../kafka/publisher.ts';
import { deadLetterTopic } from '../topics.ts';
import { deadLetterHeaders, letterRef } from './dead-letters.ts';
import { recordOpen } from './records.ts';

const retryAfterMs = 1_000;

interface NewLetter {
  group: string;
  topic: string;
  partition: number;
  message: ReceivedMessage;
  /** Calls of the handler that failed. */
  attempts: number;
  error: unknown;
}

/** Moves a message to the dead letters, and retries until it succeeds. @returns false if the signal is aborted first: the next owner of the partition moves it */
export async function writeDeadLetter(
  { group, topic, partition, message, attempts, error }: NewLetter,
  { database, sender, log }: { database: Statements; sender: Sender; log: Logger },
  signal: AbortSignal,
): Promise<boolean> {
  const { offset, key, value, headers } = message;
  const origin = { topic, partition, offset };
  const added = deadLetterHeaders(group, attempts, error, origin);
  // Byte for byte, because a message that cannot be decoded may also end here. Its own headers come last, since not all of
  // them may be read again (kafka/records.ts), and never replace ours.
  let letter: ReceivedMessage = {
    offset,
    key,
    value,
    headers: { ...added, ...writableHeaders(headers), ...added },
  };
  // If it is too large, the value stays at its origin and, if that is not enough, key and headers too.
  const smaller = [
    { ...letter, value: null },
    { ...letter, value: null, key: null, headers: added },
  ];
  while (!signal.aborted) {
    try {
      await recordOpen(database, letterRef(group, readMessage(topic, partition, letter)));
      await sender.send(deadLetterTopic, [letter]);
      log.error({ err: error, ...origin, attempts }, 'A message was moved to the dead letters');
      return true;
    } catch (failure) {
      const next = brokerError(failure) === 'MESSAGE_TOO_LARGE' ? smaller.shift() : undefined;
      if (next !== undefined) {
        log.warn(origin, 'A dead letter is too large; it is written without the large part, which stays at its origin');
        letter = next;
        continue;
      }
      log.warn({ err: failure, ...origin }, 'A dead letter cannot be written, the partition waits');
      await sleep(retryAfterMs, signal);
    }
  }
  return false;
}
