interface Props {
  name: string;
  /** Default: its name. */
  id?: string | undefined;
  type: 'text' | 'email' | 'password';
  autoComplete: string;
  label: string;
  /** Its content at first. */
  value?: string | undefined;
  error?: string | undefined;
  isOptional?: boolean;
}

/** An input with its label, and what is wrong with it. */
export function Field({ name, id = name, type, autoComplete, label, value, error, isOptional }: Props) {
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional && <span class="note"> (optional)</span>}
      </label>
      <input
        id={id}
        name={name}
        type={type as 'text'} // the types want one that is known here
        autoComplete={autoComplete}
        defaultValue={value}
        required={!isOptional}
        aria-invalid={error ? true : undefined}
        aria-describedby={error && `${id}-note`}
      />
      {error && (
        <p id={`${id}-note`} class="field-error">
          {error}
        </p>
      )}
    </div>
  );
}
