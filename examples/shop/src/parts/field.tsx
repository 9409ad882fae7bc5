interface Props {
  name: string;
  type: 'text' | 'email' | 'password';
  autoComplete: string;
  label: string;
  hint?: string;
  error?: string;
}

/** An input with its label, and what is wrong with it. */
export function Field({ name, type, autoComplete, label, hint, error }: Props) {
  const note = error ?? hint;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={type as 'text'} // the types want one that is known here
        autoComplete={autoComplete}
        required
        aria-invalid={error ? true : undefined}
        aria-describedby={note && `${name}-note`}
      />
      {note && (
        <p id={`${name}-note`} class={error ? 'field-error' : 'field-hint'}>
          {note}
        </p>
      )}
    </div>
  );
}
