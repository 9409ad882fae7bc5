import type { z } from 'zod';

/** Where a value comes from. Only a body has types; elsewhere everything is text, and a repeated parameter is a list. */
export type Place = 'query' | 'header' | 'cookie' | 'body' | 'environment';

const types: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

const formats: Record<string, string> = {
  datetime: 'an ISO 8601 time with a zone',
  date: 'an ISO 8601 date',
  url: 'a URL',
};

/** Says why a value is refused, without zod's terms. A schema's own message takes precedence. */
export const sentenceOf =
  (place: Place) =>
  (issue: z.core.$ZodRawIssue): string => {
    switch (issue.code) {
      case 'invalid_type':
        if (issue.input === undefined) return 'is required';
        if (place !== 'body' && Array.isArray(issue.input)) return 'must be given once';
        return `must be ${types[issue.expected] ?? issue.expected}`;
      case 'invalid_value':
        return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
      case 'invalid_format':
        return formats[issue.format] === undefined ? 'is not valid' : `must be ${formats[issue.format]}`;
      case 'unrecognized_keys':
        return `must not have ${issue.keys.join(', ')}`;
      case 'too_small':
        if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
        return bounded(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum);
      case 'too_big':
        return bounded(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum);
      case 'invalid_key':
        return issue.issues[0]?.message ?? 'is not valid';
      case 'invalid_union':
        return sentenceOfBest(issue.errors);
      default:
        return 'is not valid';
    }
  };

function bounded(origin: string, bound: string, value: number | bigint): string {
  if (origin === 'string') return `must have ${bound} ${counted(value, 'character')}`;
  if (origin === 'array') return `must have ${bound} ${counted(value, 'item')}`;
  return `must be ${bound} ${value}`;
}

const counted = (count: number | bigint, noun: string) => `${count} ${noun}${Number(count) === 1 ? '' : 's'}`;

/** A value of the right type for one alternative is meant for it, so that alternative's message helps most. */
function sentenceOfBest(alternatives: z.core.$ZodIssue[][]): string {
  const meant = alternatives.find(([first]) => first?.code !== 'invalid_type' || first.path.length > 0);
  return (meant ?? alternatives[0])?.[0]?.message ?? 'is not valid';
}
