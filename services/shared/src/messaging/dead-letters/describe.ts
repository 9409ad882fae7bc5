import { messageOf } from '../../values/errors.ts';
import type { DeadLetter } from './dead-letters.ts';
import type { AuditEntry } from './records.ts';
import type { OpenLetters } from './redrive.ts';

/** Control characters removed: text from a message must not be able to move a terminal's cursor. */
export const printable = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ');

export const reasonOf = (error: unknown) => printable(messageOf(error));

/** A block per letter, by group, the oldest first: what it is, where it came from, why it failed. */
export function describeLetters({ letters, total }: OpenLetters, of = 'any group', now = new Date()): string {
  if (letters.length === 0) return `No dead letters of ${of}.`;
  const shown = letters.length < total ? `, of which ${letters.length} are shown` : '';
  return [...letters]
    .sort((a, b) => a.group.localeCompare(b.group) || a.time.getTime() - b.time.getTime())
    .map((letter) => describeLetter(letter, now))
    .concat(`${total} dead letter${total === 1 ? '' : 's'}${shown}`)
    .join('\n\n');
}

function describeLetter(letter: DeadLetter, now: Date): string {
  const { id, eventId, group, attempts, error, kind = 'no kind', time, message } = letter;
  const { origin, key = 'unknown' } = message;
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const age = ageOf(now.getTime() - time.getTime());
  const place = `${origin.topic} ${origin.partition}:${origin.offset}`;
  return [
    `${printable(group)}  ${printable(kind)}  order ${printable(key)}  ${age}  ${tries}`,
    `  id ${id}`,
    `  ${printable(place)}, event ${eventId ?? 'without id'}`,
    ...error
      .trim()
      .split('\n')
      .map((line) => `  ${printable(line)}`),
  ].join('\n');
}

/** Its headers and its value as they were published, to be read by a person. */
export function describeMessage({ message: { headers, value } }: DeadLetter): string {
  const lines = Object.entries(headers).filter(([name]) => !name.startsWith('dlq_'));
  return [...lines.map(([name, text]) => `${name}: ${text ?? '(unreadable)'}`), value ?? '(no value, or none in UTF-8)']
    .map((line) => `  ${printable(line)}`)
    .join('\n');
}

/** A line per entry, the oldest first. */
export function describeAudit(entries: AuditEntry[]): string {
  return entries.map((entry) => `${entry.letterId}  ${describeDecision(entry)}`).join('\n');
}

export function describeDecision({ outcome, requestedBy, at, reason }: AuditEntry): string {
  const why = reason === null ? '' : `: ${printable(reason)}`;
  return `${outcome.toLowerCase()} at ${at.toISOString()} by ${printable(requestedBy)}${why}`;
}

function ageOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s old`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min old`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h old`;
  return `${Math.round(seconds / 86_400)} days old`;
}
