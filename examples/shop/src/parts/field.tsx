interface Props {
  name: string;
  /** Default: its name. */
  id?: string | undefined;
  type: 'text' | 'email' | 'password';
  /** Options; with them the field is a select. */
  options?: readonly (readonly [value: string, name: string])[];
  autoComplete: string;
  label: string;
  /** Initial content. */
  value?: string | undefined;
  error?: string | undefined;
  /** The label then says so. */
  isOptional?: boolean;
  /** Ignored if the field is optional. Default: true. */
  isRequired?: boolean;
}

/** An input or select with its label and error. */
export function Field({
  name,
  id = name,
  type,
  options,
  autoComplete,
  label,
  value,
  error,
  isOptional = false,
  isRequired = true,
}: Props) {
  const common = {
    id,
    name,
    required: isRequired && !isOptional,
    'aria-invalid': error ? true : undefined,
    'aria-describedby': error && `${id}-note`,
  };
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional && <span class="note"> (optional)</span>}
      </label>
      {options ? (
        <span class="select">
          <select {...common} autoComplete={autoComplete} value={value}>
            {options.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </span>
      ) : (
        <input
          {...common}
          type={type as 'text'} // preact's types want a literal
          autoComplete={autoComplete}
          defaultValue={value}
        />
      )}
      {error && (
        <p id={`${id}-note`} class="field-error">
          {error}
        </p>
      )}
    </div>
  );
}
