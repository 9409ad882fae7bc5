import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import { fieldErrorsOf, missingOf, sentenceOf } from '../shop/sentences.ts';
import { Failure } from './failure.tsx';
import { Field } from './field.tsx';

export interface Input {
  name: string;
  label: string;
  type: 'text' | 'email' | 'password';
  autoComplete: string;
  value?: string;
}

interface Props {
  /** Prefix for the ids of its fields, if the page has several forms. */
  id?: string;
  inputs: Input[];
  button: string;
  /** Style of the button: the main button of a page, one of several, or for an action that cannot be undone. Default: main. */
  kind?: 'main' | 'plain' | 'grave';
  /** If it throws, the form shows the error, next to a field if it is about that field. */
  onSubmit(values: Record<string, string>): Promise<void>;
  /** Returns a sentence for an error that has a special meaning in this form. */
  explain?: (error: unknown) => string | undefined;
}

/** A form of a few fields, all required. */
export function SmallForm({ id, inputs, button, kind = 'main', onSubmit, explain }: Props) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [errors, setErrors] = useState<Record<string, string>>({});
  const labels = Object.fromEntries(inputs.map(({ name, label }) => [name, label]));

  async function submit(event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (busy) return;
    const form = event.currentTarget;
    const data = new FormData(form);
    const given = Object.fromEntries(
      inputs.map(({ name, type }) => {
        const text = String(data.get(name) ?? '');
        return [name, type === 'password' ? text : text.trim()];
      }),
    );
    setFailure(undefined);
    if (!show(missingOf(given, labels))) return;
    setBusy(true);
    try {
      await onSubmit(given);
      form.reset();
    } catch (error) {
      if (show(fieldErrorsOf(error, labels))) setFailure(explain?.(error) ?? sentenceOf(error));
    }
    setBusy(false);

    /** @returns true if there are no errors */
    function show(byField: Record<string, string>): boolean {
      setErrors(byField);
      const [first] = Object.keys(byField);
      if (first) form.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus();
      return !first;
    }
  }

  return (
    <form onSubmit={submit} noValidate>
      <Failure sentence={failure} />
      {inputs.map((input) => (
        <Field key={input.name} {...input} id={id && `${id}-${input.name}`} error={errors[input.name]} />
      ))}
      <button type="submit" class={kind === 'plain' ? undefined : kind} aria-disabled={busy}>
        {busy ? 'One moment…' : button}
      </button>
    </form>
  );
}
