import type { Address, Order } from '@store-platform/client';
import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { countries, countryName } from '../shop/countries.ts';
import { fieldErrorsOf, missingOf } from '../shop/sentences.ts';
import { drop, keep, stored } from '../shop/storage.ts';
import { Field } from './field.tsx';

// Each with its path in an order, by which the store names it in errors.
const fields = {
  name: { path: 'shippingAddress.name', label: 'Name', autoComplete: 'shipping name' },
  street: { path: 'shippingAddress.lines.0', label: 'Street and number', autoComplete: 'shipping address-line1' },
  postalCode: {
    path: 'shippingAddress.postalCode',
    label: 'Postal code',
    autoComplete: 'shipping postal-code',
    isOptional: true,
  },
  city: { path: 'shippingAddress.city', label: 'City', autoComplete: 'shipping address-level2' },
  region: {
    path: 'shippingAddress.region',
    label: 'Region',
    autoComplete: 'shipping address-level1',
    isOptional: true,
  },
  country: { path: 'shippingAddress.country', label: 'Country', autoComplete: 'shipping country' },
};

const labels = Object.fromEntries(Object.values(fields).map(({ path, label }) => [path, label]));

/** Content of the form, by the paths of the fields. */
type Texts = Record<string, string>;

function textsIn(form: HTMLFormElement): Texts {
  const data = new FormData(form);
  return Object.fromEntries(Object.values(fields).map(({ path }) => [path, String(data.get(path) ?? '').trim()]));
}

const isEmpty = (texts: Texts) => Object.values(texts).every((text) => text === '');

/** Returns the address in a form; undefined if all fields are empty. */
export function addressIn(form: HTMLFormElement): Address | undefined {
  const texts = textsIn(form);
  if (isEmpty(texts)) return undefined;
  const text = ({ path }: { path: string }) => texts[path] ?? '';
  return {
    name: text(fields.name),
    lines: [text(fields.street)],
    postalCode: text(fields.postalCode) || undefined,
    city: text(fields.city),
    region: text(fields.region) || undefined,
    country: text(fields.country),
  };
}

/** Returns sentences about missing fields, by path; none if all fields are empty, since an address is optional. */
export function missingIn(form: HTMLFormElement): Record<string, string> {
  const texts = textsIn(form);
  if (isEmpty(texts)) return {};
  const required = Object.values(fields).filter((field) => !('isOptional' in field));
  const missing = missingOf(Object.fromEntries(required.map(({ path }) => [path, texts[path] ?? ''])), labels);
  const { path } = fields.country;
  return missing[path] ? { ...missing, [path]: 'Choose your country.' } : missing;
}

/** Says what is wrong with the fields of an address, by path. */
export const addressErrorsOf = (error: unknown) => fieldErrorsOf(error, labels);

const nameOf = (accountId: string) => `shop.address.${accountId}`;
/** Removes an account's address from this browser. */
export const forgetAddress = (accountId: string): void => drop(nameOf(accountId));

interface Props {
  accountId: string;
  form: RefObject<HTMLFormElement | null>;
  errors: Record<string, string>;
}

/** Fields of an optional address. The browser keeps their content for the next order. */
export function AddressFields({ accountId, form, errors }: Props) {
  const [texts, setTexts] = useState(() => stored<Texts>(nameOf(accountId), {}));
  // Fields are required only once one of them is filled in.
  const isBegun = !isEmpty(texts);

  function note(): void {
    if (!form.current) return;
    const current = textsIn(form.current);
    keep(nameOf(accountId), current);
    setTexts(current);
  }

  return (
    <fieldset class="address" onInput={note}>
      <legend>
        Delivery address<span class="note"> (optional)</span>
      </legend>
      {Object.values(fields).map(({ path, ...field }) => (
        <Field
          key={path}
          name={path}
          {...field}
          {...(path === fields.country.path ? { options: countryOptions } : {})}
          type="text"
          value={texts[path]}
          isRequired={isBegun}
          error={errors[path]}
        />
      ))}
    </fieldset>
  );
}

const countryOptions = [
  ['', 'Choose a country'] as const,
  ...countries.map((code) => [code, countryName(code)] as const).sort(([, one], [, other]) => one.localeCompare(other)),
];

/** Shows an address as on a parcel. */
export function AddressText({ address }: { address: NonNullable<Order['shippingAddress']> }) {
  const { name, lines, postalCode, city, region, country } = address;
  const text = [name, ...lines, [postalCode, city].filter(Boolean).join(' '), region, countryName(country)];
  return <address dir="auto">{text.filter(Boolean).join('\n')}</address>;
}
