interface Props {
  id: string;
  /** For screen readers. */
  label: string;
  value: string;
  options: readonly (readonly [value: string, name: string])[];
  onChange(value: string): void;
}

export function Select({ id, label, value, options, onChange }: Props) {
  return (
    <>
      <label for={id} class="unseen">
        {label}
      </label>
      <span class="select">
        <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {options.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </span>
    </>
  );
}
