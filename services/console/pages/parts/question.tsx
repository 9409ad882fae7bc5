import type { ComponentChildren, RefObject } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { textsOf } from './form.tsx';

interface QuestionProps {
  /** Opened by `showModal()`. */
  dialog: RefObject<HTMLDialogElement | null>;
  question: ComponentChildren;
  /** What is done, on the button. */
  verb: string;
  isGrave: boolean;
  /** Gets the fields of the form by their names. Once it has succeeded, they are emptied. */
  onYes: (texts: Record<string, string>) => Promise<unknown>;
  /** What follows from it, and fields. */
  children: ComponentChildren;
}

/** Asks once more before something is done. */
export function Question({ dialog, question, verb, isGrave, onYes, children }: QuestionProps) {
  const asked = useId();
  return (
    <dialog ref={dialog} aria-labelledby={asked}>
      <form
        onSubmit={(event) => {
          const form = event.currentTarget;
          const texts = textsOf(event);
          dialog.current?.close();
          onYes(texts).then(
            () => form.reset(),
            () => undefined,
          );
        }}
      >
        <h2 id={asked}>{question}</h2>
        {children}
        <div class="actions">
          <button type="submit" class={isGrave ? 'grave' : ''}>
            {verb}
          </button>
          <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
            Back
          </button>
        </div>
      </form>
    </dialog>
  );
}

interface GraveProps extends Omit<QuestionProps, 'dialog' | 'isGrave'> {
  /** On the button that asks; the verb, if there is none. */
  label?: string;
  /** Where the button needs more words than it shows. */
  'aria-label'?: string;
  disabled?: boolean;
  /** For a button that stands among others. */
  isQuiet?: boolean;
}

/** A button for what harms somebody: a press of it only asks. */
export function Grave({ label, disabled = false, isQuiet = false, 'aria-label': name, ...question }: GraveProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button
        type="button"
        class={isQuiet ? 'quiet' : 'grave'}
        aria-label={name}
        disabled={disabled}
        onClick={() => dialog.current?.showModal()}
      >
        {label ?? question.verb}
      </button>
      <Question dialog={dialog} isGrave {...question} />
    </>
  );
}
