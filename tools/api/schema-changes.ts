type Json = Record<string, unknown>;

/** The use that clients make of a value: they send it, or read it. */
export type Direction = 'sent' | 'read';

const list = (value: unknown): unknown[] => (value === undefined ? [] : Array.isArray(value) ? value : [value]);
const objectOf = (value: unknown): Record<string, Json> => (value ?? {}) as Record<string, Json>;
const typesOf = ({ type, anyOf, oneOf }: Json): unknown[] => [
  ...list(type),
  ...[...list(anyOf), ...list(oneOf)].flatMap((one) => typesOf(one as Json)),
];

/** Bounds, and whether a larger value admits more. */
const bounds = {
  minimum: false,
  exclusiveMinimum: false,
  minLength: false,
  minItems: false,
  maximum: true,
  exclusiveMaximum: true,
  maxLength: true,
  maxItems: true,
};
/** Whatever these were, a client may have relied on it. */
const fixed = ['pattern', 'format', 'const'];

/**
 * How a JSON schema has changed so that a client of the old one fails: it sends what is refused now, or reads what it does
 * not expect.
 * @param at where it is, for the sentences
 */
export function schemaChanges(old: Json, now: Json, direction: Direction, at: string): string[] {
  const found: string[] = [];
  const [from, to] = [typesOf(old), typesOf(now)];
  const lost = from.filter((type) => !to.includes(type));
  const gained = to.filter((type) => !from.includes(type));
  if (direction === 'sent' && to.length > 0 && (lost.length > 0 || from.length === 0))
    found.push(`${at} must be ${to.join(' or ')}, and was ${from.join(' or ') || 'anything'}`);
  if (direction === 'read' && from.length > 0 && (gained.length > 0 || to.length === 0))
    found.push(`${at} may be ${to.join(' or ') || 'anything'}, and was ${from.join(' or ')}`);

  const [values, valuesNow] = [list(old.enum), list(now.enum)];
  if (direction === 'sent' && valuesNow.length > 0) {
    const refused = values.length > 0 ? values.filter((value) => !valuesNow.includes(value)) : ['any other value'];
    if (refused.length > 0) found.push(`${at} may no longer be ${refused.join(', ')}`);
  }
  if (direction === 'read' && values.length > 0) {
    const added = valuesNow.length > 0 ? valuesNow.filter((value) => !values.includes(value)) : ['any value'];
    if (added.length > 0) found.push(`${at} may now be ${added.join(', ')}`);
  }
  if (direction === 'sent') {
    for (const [name, largerAdmitsMore] of Object.entries(bounds)) {
      const [before, after] = [old[name] as number | undefined, now[name] as number | undefined];
      if (after === undefined) continue;
      if (before === undefined || (largerAdmitsMore ? after < before : after > before))
        found.push(`${at} has ${name} ${after}, and had ${before ?? 'none'}`);
    }
  }
  for (const name of fixed) {
    if (direction === 'sent' && now[name] !== undefined && now[name] !== old[name])
      found.push(`${at} has the ${name} ${now[name]}, and had ${old[name] ?? 'none'}`);
    if (direction === 'read' && old[name] !== undefined && now[name] !== old[name])
      found.push(`${at} has the ${name} ${now[name] ?? 'none'}, and had ${old[name]}`);
  }

  const [properties, propertiesNow] = [objectOf(old.properties), objectOf(now.properties)];
  const [required, requiredNow] = [list(old.required), list(now.required)];
  for (const [name, property] of Object.entries(properties)) {
    const current = propertiesNow[name];
    if (current === undefined) found.push(`${at}.${name} is gone`);
    else found.push(...schemaChanges(property, current, direction, `${at}.${name}`));
  }
  if (direction === 'sent')
    found.push(...requiredNow.filter((name) => !required.includes(name)).map((name) => `${at}.${name} is required`));
  else
    found.push(...required.filter((name) => !requiredNow.includes(name)).map((name) => `${at}.${name} may be absent`));
  if (old.items !== undefined && now.items !== undefined)
    found.push(...schemaChanges(old.items as Json, now.items as Json, direction, `${at}[]`));
  return found;
}
