import { useRef, useState } from 'preact/hooks';
import { atMost } from '../../parts/form.tsx';
import { Question } from '../../parts/question.tsx';
import type { Letter } from './letter.ts';

export interface Asked {
  decision: 'redrive' | 'discard';
  letters: Letter[];
}

export interface Decided extends Asked {
  dryRun: boolean;
  /** Why letters are discarded. */
  reason: string;
}

interface DecisionProps {
  selected: Letter[];
  busy: boolean;
  onDecide: (decided: Decided) => Promise<unknown>;
}

const countOf = ({ length }: Letter[]) => (length === 1 ? '1 letter' : `${length} letters`);

/** Buttons to decide about the selected letters. Both ask for confirmation and show the number of letters. */
export function Decision({ selected, busy, onDecide }: DecisionProps) {
  const [dryRun, setDryRun] = useState(false);
  const [asked, setAsked] = useState<Asked>({ decision: 'redrive', letters: [] });
  const dialog = useRef<HTMLDialogElement>(null);
  const none = selected.length === 0;
  const isDiscard = asked.decision === 'discard';
  const verb = isDiscard ? 'Discard' : 'Redrive';
  const question = dryRun ? `Try to ${verb.toLowerCase()}` : verb;

  function ask(decision: Asked['decision']) {
    // Only letters shown when the button was pressed: a letter that arrives meanwhile is not decided.
    setAsked({ decision, letters: selected });
    dialog.current?.showModal();
  }

  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset looks otherwise */}
      <div class="actions" role="group" aria-label="Decide">
        <button type="button" disabled={none || busy} onClick={() => ask('redrive')}>
          Redrive {countOf(selected)}
        </button>
        <button type="button" class="grave" disabled={none || busy} onClick={() => ask('discard')}>
          Discard {countOf(selected)}
        </button>
        <label class="choose">
          <input type="checkbox" checked={dryRun} onChange={({ currentTarget }) => setDryRun(currentTarget.checked)} />{' '}
          Dry run
        </label>
        {busy && <span role="status">Working…</span>}
      </div>
      <Question
        dialog={dialog}
        question={`${question} ${countOf(asked.letters)}?`}
        verb={dryRun ? 'Try' : verb}
        isGrave={isDiscard && !dryRun}
        onYes={({ reason = '' }) => onDecide({ ...asked, dryRun, reason: reason.trim() })}
      >
        {isDiscard ? (
          <>
            <p>They will never be handled. This is final: a discarded letter cannot be redriven.</p>
            <label for="reason">Reason</label>
            <textarea id="reason" name="reason" required dir="auto" {...atMost(1000)} />
          </>
        ) : (
          <p>
            {dryRun
              ? 'Their group handles them in a transaction that is rolled back. A group that calls others first is not tried.'
              : 'Their group handles each of them once more. A letter that fails again stays here.'}
          </p>
        )}
        {dryRun && <p class="note">Nothing is changed: this only shows what would happen.</p>}
      </Question>
    </>
  );
}
