interface Props {
  name: string;
  type: 'text' | 'email' | 'password';
  autoComplete: string;
  label: string;
  error?: string;
}

/** An input with its label, and what is wrong with it. */
export function Field({ name, type, autoComplete, label, error }: Props) {
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
        aria-describedby={error && `${name}-note`}
      />
      {error && (
        <p id={`${name}-note`} class="field-error">
          {error}
        </p>
      )}
    </div>
  );
}
