import { useState } from 'preact/hooks';
import { Field } from './field.tsx';

/** Test cards of the store's built-in provider, by their tokens. With another provider, its library in the browser makes tokens. */
const cards = [
  ['', 'No card'],
  ['card-ok', 'A card that pays'],
  ['card-declined', 'A card that is declined'],
  ['card-action', 'A card whose bank asks first'],
] as const;

const name = 'card';

const chosenIn = (form: HTMLFormElement) => String(new FormData(form).get(name) ?? '');

/** Returns the token of the card that is chosen in a form. */
export const tokenIn = (form: HTMLFormElement): string | undefined => chosenIn(form) || undefined;

/** Offers cards to pay with. The choice is not kept for the next order. */
export function PayWith() {
  const [chosen, setChosen] = useState('');
  return (
    <fieldset class="address" onInput={({ currentTarget: { form } }) => form && setChosen(chosenIn(form))}>
      <legend>
        Pay with<span class="note"> (test cards)</span>
      </legend>
      <Field
        name={name}
        type="text"
        label="Card"
        options={cards}
        autoComplete="off"
        value={chosen}
        isRequired={false}
      />
    </fieldset>
  );
}
