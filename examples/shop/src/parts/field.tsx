interface Props {
  name: string;
  /** Default: its name. */
  id?: string | undefined;
  type: 'text' | 'email' | 'password';
  /** Those of a choice, which then it is. */
  options?: readonly (readonly [value: string, name: string])[];
  autoComplete: string;
  label: string;
  /** Its content at first. */
  value?: string | undefined;
  error?: string | undefined;
  /** True if its label says so. */
  isOptional?: boolean;
  /** Default: unless it is optional. */
  isRequired?: boolean;
}

/** An input or a choice with its label, and what is wrong with it. */
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
          type={type as 'text'} // the types want one that is known here
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
