import type { ComponentProps, TargetedEvent, TargetedSubmitEvent } from 'preact';

/** Returns the values of a submitted form by field name. */
export function textsOf(event: TargetedSubmitEvent<HTMLFormElement>): Record<string, string> {
  event.preventDefault();
  return Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
}

/** Limits a field by code points, as services do; `maxLength` would count some characters twice. */
export const atMost = (max: number) => ({
  onInput({ currentTarget }: TargetedEvent<HTMLInputElement | HTMLTextAreaElement>) {
    const isTooLong = [...currentTarget.value.trim()].length > max;
    currentTarget.setCustomValidity(isTooLong ? `At most ${max} characters.` : '');
  },
});

/** For a field with an amount of money. */
export const amountPattern = {
  inputMode: 'decimal',
  pattern: '\\d{1,12}(\\.\\d{1,4})?',
  title: 'digits, with at most 4 after the point',
} as const;

type FieldProps = ComponentProps<'input'> & { name: string; label: string };

export const Field = ({ name, label, ...attributes }: FieldProps) => (
  <>
    <label for={name}>{label}</label>
    <input id={name} name={name} autoComplete="off" {...attributes} />
  </>
);

interface SearchProps {
  label: string;
  button: string;
  onSearch: (sought: string) => void;
}

/** Searches when Enter or the button is pressed. */
export const Search = ({ label, button, onSearch }: SearchProps) => (
  <search>
    <form
      class="search"
      onSubmit={(event) => {
        const sought = textsOf(event).sought?.trim();
        if (sought) onSearch(sought);
      }}
    >
      <Field name="sought" label={label} required spellcheck={false} dir="auto" />
      <button type="submit">{button}</button>
    </form>
  </search>
);
