import type { Address, Order } from '@store-platform/client';
import type { RefObject } from 'preact';
import { fieldErrorsOf } from '../shop/sentences.ts';
import { Field } from './field.tsx';

// By their paths in an order, as the store names them when it refuses one.
const fields = {
  name: { path: 'shippingAddress.name', label: 'Name', autoComplete: 'name' },
  street: { path: 'shippingAddress.lines.0', label: 'Street and number', autoComplete: 'address-line1' },
  postalCode: {
    path: 'shippingAddress.postalCode',
    label: 'Postal code',
    autoComplete: 'postal-code',
    isOptional: true,
  },
  city: { path: 'shippingAddress.city', label: 'City', autoComplete: 'address-level2' },
  region: { path: 'shippingAddress.region', label: 'Region', autoComplete: 'address-level1', isOptional: true },
  country: { path: 'shippingAddress.country', label: 'Country code', autoComplete: 'country' },
};

const labels = Object.fromEntries(Object.values(fields).map(({ path, label }) => [path, label]));

/** Returns the address in a form; undefined if nothing is in it. */
export function addressIn(form: HTMLFormElement | null): Address | undefined {
  const data = form ? new FormData(form) : new FormData();
  const text = ({ path }: { path: string }) => String(data.get(path) ?? '').trim();
  if (Object.values(fields).every((field) => text(field) === '')) return undefined;
  return {
    name: text(fields.name),
    lines: [text(fields.street)],
    postalCode: text(fields.postalCode) || undefined,
    city: text(fields.city),
    region: text(fields.region) || undefined,
    country: text(fields.country),
  };
}

/** Says what is wrong with which field of an address, by its path. */
export const addressErrorsOf = (error: unknown) => fieldErrorsOf(error, labels);

interface Props {
  form: RefObject<HTMLFormElement | null>;
  errors: Record<string, string>;
  onSubmit(): void;
}

/** A form of an address, to be left empty where none is needed. */
export function AddressForm({ form, errors, onSubmit }: Props) {
  return (
    <details open={Object.keys(errors).length > 0}>
      <summary>Delivery address</summary>
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {Object.values(fields).map(({ path, ...field }) => (
          <Field key={path} name={path} type="text" {...field} error={errors[path]} />
        ))}
      </form>
    </details>
  );
}

/** Writes an address as on a parcel. */
export function AddressText({ address }: { address: NonNullable<Order['shippingAddress']> }) {
  const { name, lines, postalCode, city, region, country } = address;
  const text = [name, ...lines, [postalCode, city].filter(Boolean).join(' '), region, country];
  return <address>{text.filter(Boolean).join('\n')}</address>;
}
