import type { ComponentChildren, RefObject } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { textsOf } from './form.tsx';

interface QuestionProps {
  /** Opened by `showModal()`. */
  dialog: RefObject<HTMLDialogElement | null>;
  question: ComponentChildren;
  /** Label of the button that does it. */
  verb: string;
  isGrave: boolean;
  /** Gets the values of the form by field name. After success the form is reset. */
  onYes: (texts: Record<string, string>) => Promise<unknown>;
  /** The consequences, and fields. */
  children: ComponentChildren;
}

/** Asks for confirmation before an action. */
export function Question({ dialog, question, verb, isGrave, onYes, children }: QuestionProps) {
  const asked = useId();
  return (
    <dialog ref={dialog} aria-labelledby={asked}>
      <form
        class="write"
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
  /** Label of the button that opens the question. Default: the verb. */
  label?: string;
  /** If the visible label does not say enough. */
  'aria-label'?: string;
  disabled?: boolean;
  /** For a button among many others. */
  isQuiet?: boolean;
}

/** A button for a harmful action: pressing it only opens the question. */
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
