import { ageOf } from '../../parts/clock.ts';
import { OrderLink } from '../../parts/parts.tsx';
import type { Letter } from './letter.ts';

interface LettersProps {
  letters: Letter[];
  chosen: ReadonlySet<string>;
  onChoose: (ids: string[], isChosen: boolean) => void;
}

/** The letters, each with a checkbox. */
export function Letters({ letters, chosen, onChoose }: LettersProps) {
  if (letters.length === 0)
    return (
      <p class="verdict good" role="status">
        There are no dead letters here.
      </p>
    );
  const ids = letters.map(({ id }) => id);
  return (
    <section class="card" aria-label="Dead letters">
      <label class="choose">
        <input
          type="checkbox"
          checked={ids.every((id) => chosen.has(id))}
          onChange={({ currentTarget }) => onChoose(ids, currentTarget.checked)}
        />
        Select all {letters.length} shown
      </label>
      <ul class="letters">
        {letters.map((letter) => (
          <Entry key={letter.id} letter={letter} isChosen={chosen.has(letter.id)} onChoose={onChoose} />
        ))}
      </ul>
    </section>
  );
}

interface EntryProps extends Pick<LettersProps, 'onChoose'> {
  letter: Letter;
  isChosen: boolean;
}

function Entry({ letter, isChosen, onChoose }: EntryProps) {
  const { id, group, kind, orderId, attempts, error, time, origin, eventId, value } = letter;
  return (
    <li aria-label={`Dead letter ${id}`}>
      <label class="choose">
        <input
          type="checkbox"
          aria-label={`Select ${id}`}
          checked={isChosen}
          onChange={({ currentTarget }) => onChoose([id], currentTarget.checked)}
        />
        <strong>{kind ?? 'no kind'}</strong> <span class="group">{group}</span>{' '}
        <span class="age">
          {time === null ? 'of unknown age' : `${ageOf(time)} old`},{' '}
          {attempts === 1 ? '1 attempt' : `${attempts} attempts`}
        </span>
      </label>
      <pre class="error">{error}</pre>
      <p>
        Order {orderId !== null && isId(orderId) ? <OrderLink id={orderId} /> : <code>{orderId ?? 'unknown'}</code>}
      </p>
      <details>
        <summary>Payload</summary>
        <pre>{pretty(value)}</pre>
        <p class="note">
          Letter <code>{id}</code>, event <code>{eventId ?? 'without id'}</code>, read at <code>{origin}</code>
        </p>
      </details>
    </li>
  );
}

const isId = (text: string) => /^[0-9a-f-]{36}$/i.test(text);

function pretty(value: string | null): string {
  try {
    return JSON.stringify(JSON.parse(value ?? ''), undefined, 2);
  } catch {
    return value ?? '(no value)';
  }
}
