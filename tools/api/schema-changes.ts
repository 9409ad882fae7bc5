export interface Schema {
  type?: string | string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  format?: string;
  $ref?: string;
  maximum?: number;
  examples?: string[];
  [keyword: string]: unknown;
}

const typesOf = ({ type = [], anyOf = [], oneOf = [] }: Schema): string[] => [
  ...[type].flat(),
  ...[...anyOf, ...oneOf].flatMap(typesOf),
];

/** Bounds that admit more where they are larger, and where they are smaller. */
const upper = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'];
const lower = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'];
/** Whatever these were, a client may have relied on it. */
const fixed = ['pattern', 'format', 'const'];

/** The elements of one list that another lacks. */
const without = <T>(list: T[], other: T[]) => list.filter((one) => !other.includes(one));

/**
 * How a JSON schema has changed so that a client of the old one fails: it sends what is refused now, or reads what it does
 * not expect. What is sent has to be admitted by the new schema, what is read by the old one.
 * @param at where it is, for the sentences
 */
export function schemaChanges(old: Schema, now: Schema, direction: 'sent' | 'read', at = ''): string[] {
  const found: string[] = [];
  const isSent = direction === 'sent';
  const [given, admitting] = isSent ? [old, now] : [now, old];
  const changed = (what: string) => found.push(`${at} ${what}`);

  const [types, admitted] = [typesOf(given), typesOf(admitting)];
  if (admitted.length > 0 && (types.length === 0 || without(types, admitted).length > 0))
    changed(`is ${typesOf(now).join(' or ') || 'anything'}, and was ${typesOf(old).join(' or ') || 'anything'}`);
  if (admitting.enum) {
    const values = given.enum ? without(given.enum, admitting.enum) : ['any other value'];
    if (values.length > 0) changed(`${isSent ? 'may no longer be' : 'may now be'} ${values.join(', ')}`);
  }
  for (const name of [...upper, ...lower, ...fixed]) {
    const [before, after] = [given[name], admitting[name]] as [number | undefined, number | undefined];
    // Clients do not rely on the bounds of what they read.
    if (after === undefined || before === after || (!isSent && !fixed.includes(name))) continue;
    const isWider = before !== undefined && (upper.includes(name) ? after > before : after < before);
    if (fixed.includes(name) || !isWider) changed(`has ${name} ${now[name] ?? 'none'}, and had ${old[name] ?? 'none'}`);
  }
  const inner = (name: string) => (at ? `${at}.${name}` : name);
  for (const [name, property] of Object.entries(old.properties ?? {})) {
    const current = now.properties?.[name];
    if (current === undefined) found.push(`${inner(name)} is gone`);
    else found.push(...schemaChanges(property, current, direction, inner(name)));
  }
  for (const name of without(admitting.required ?? [], given.required ?? []))
    found.push(`${inner(name)} ${isSent ? 'is required' : 'may be absent'}`);
  if (old.items && now.items) found.push(...schemaChanges(old.items, now.items, direction, `${at}[]`));
  return found;
}
