import type { DeadLetter } from './dead-letters.ts';

/** Control characters removed: text from a message must not be able to move a terminal's cursor. */
export const printable = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ');

export const place = ({ origin: { topic, partition, offset } }: DeadLetter) =>
  printable(`${topic} ${partition}:${offset}`);

/** A block per letter, by group, the oldest first: what it is, where it came from, why it failed. */
export function describeLetters(letters: DeadLetter[], of = 'any group', now = new Date()): string {
  if (letters.length === 0) return `No dead letters of ${of}.`;
  return [...letters]
    .sort((a, b) => a.group.localeCompare(b.group) || a.time.getTime() - b.time.getTime())
    .map((letter) => {
      const { group, attempts, error, time, message } = letter;
      const kind = printable(message.headers.ce_type || 'no kind');
      const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
      const age = ageOf(now.getTime() - time.getTime());
      return [
        `${printable(group)}  ${kind}  order ${printable(message.key ?? 'unknown')}  ${age}  ${tries}`,
        `  ${place(letter)}, event ${printable(message.headers.ce_id ?? 'without id')}`,
        ...error
          .trim()
          .split('\n')
          .map((line) => `  ${printable(line)}`),
      ].join('\n');
    })
    .concat(`${letters.length} dead letter${letters.length === 1 ? '' : 's'}`)
    .join('\n\n');
}

function ageOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s old`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min old`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h old`;
  return `${Math.round(seconds / 86_400)} days old`;
}
