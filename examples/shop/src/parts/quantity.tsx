import { largestQuantity } from '../shop/basket.ts';

interface Props {
  of: string;
  value: number;
  onChange(value: number): void;
}

export function Quantity({ of, value, onChange }: Props) {
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
        max={largestQuantity}
        value={value}
        onChange={({ currentTarget }) => {
          const wanted = currentTarget.valueAsNumber;
          if (wanted >= 1) onChange(wanted);
          else currentTarget.value = String(value);
        }}
      />
      <button
        type="button"
        aria-label={`One ${of} more`}
        disabled={value >= largestQuantity}
        onClick={() => onChange(value + 1)}
      >
        +
      </button>
    </fieldset>
  );
}
