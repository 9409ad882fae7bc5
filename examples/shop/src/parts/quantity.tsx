import { useState } from 'preact/hooks';

interface Props {
  of: string;
  value: number;
  largest: number;
  onChange(value: number): void;
}

export function Quantity({ of, value, largest, onChange }: Props) {
  // The text being typed, which stays even if the page renders again.
  const [typed, setTyped] = useState<string>();
  return (
    <fieldset class="quantity">
      <legend class="unseen">Quantity of {of}</legend>
      <button type="button" aria-label={`One ${of} less`} disabled={value <= 1} onClick={() => onChange(value - 1)}>
        −
      </button>
      <input
        type="number"
        inputMode="numeric"
        aria-label={`Quantity of ${of}`}
        min={1}
        max={largest}
        value={typed ?? value}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={({ currentTarget }) => {
          const wanted = currentTarget.valueAsNumber;
          setTyped(undefined);
          if (wanted >= 1) onChange(wanted);
          else currentTarget.value = String(value);
        }}
      />
      <button
        type="button"
        aria-label={`One ${of} more`}
        disabled={value >= largest}
        onClick={() => onChange(value + 1)}
      >
        +
      </button>
    </fieldset>
  );
}
