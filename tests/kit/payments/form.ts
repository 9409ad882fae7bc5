/** A value of a form as Stripe's clients send it: `metadata[orderId]=1` is `{ metadata: { orderId: '1' } }`. */
export interface Form {
  [name: string]: string | Form | undefined;
}

/** Reads a query or a body. The elements of a list have their places as names. */
export function parseForm(text: string): Form {
  const form: Form = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const parts = name.split(/[[\]]+/).filter((part) => part !== '');
    let place = form;
    for (const part of parts.slice(0, -1)) {
      const next = place[part];
      if (typeof next === 'object') place = next;
      else place = place[part] = {};
    }
    const last = parts.at(-1) ?? name;
    // `types[]=a&types[]=b`
    if (name.endsWith('[]')) place[last] = { ...asForm(place[last]), [Object.keys(asForm(place[last])).length]: value };
    else place[last] = value;
  }
  return form;
}

export const asText = (value: string | Form | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
export const asForm = (value: string | Form | undefined): Form => (typeof value === 'object' ? value : {});
export const asList = (value: string | Form | undefined): string[] =>
  typeof value === 'string' ? [value] : Object.values(asForm(value)).flatMap((one) => asText(one) ?? []);
/** Strings by name, such as metadata. */
export const asTexts = (value: string | Form | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(asForm(value)).flatMap(([name, one]) => (typeof one === 'string' ? [[name, one]] : [])),
  );
