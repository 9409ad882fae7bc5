import { foreign } from './problem.ts';

// A value of the field and its parameters (RFC 8288, 3), whose texts may be quoted and hold commas and semicolons.
const quoted = /"(?:[^"\\]|\\.)*"/.source;
const value = new RegExp(`<([^>]*)>((?:[^",]|${quoted})*)`, 'g');
const parameter = new RegExp(`;\\s*([^\\s=;,"]+)(?:\\s*=\\s*(${quoted}|[^\\s;,"]*))?`, 'g');

/** @returns where the link with the relation `next` leads, relative to what it came with */
function next(link: string): string | undefined {
  for (const [, target, rest = ''] of link.matchAll(value)) {
    const parameters = [...rest.matchAll(parameter)].map(([, name = '', text = '']) => ({
      name: name.toLowerCase(),
      text: text.replace(/^"(.*)"$/, '$1').replace(/\\(.)/g, '$1'),
    }));
    // The first rel counts. A link with an anchor is one of something else.
    const { text: relations = '' } = parameters.find(({ name }) => name === 'rel') ?? {};
    const isNext = relations.toLowerCase().split(/\s+/).includes('next');
    if (isNext && !parameters.some(({ name }) => name === 'anchor')) return target;
  }
  return undefined;
}

/** The parameters of the next page; a repeated one is a list. @throws StoreProblem for a link that leads nowhere */
export function nextOf(response: Response): Record<string, string | string[]> | undefined {
  const target = next(response.headers.get('link') ?? '');
  if (target === undefined) return undefined;
  try {
    const parameters = new URL(target, 'http://store').searchParams;
    return Object.fromEntries(
      [...new Set(parameters.keys())].map((name) => {
        const [first = '', ...others] = parameters.getAll(name);
        return [name, others.length === 0 ? first : [first, ...others]];
      }),
    );
  } catch {
    throw foreign(response, 'a link to the next page', target);
  }
}
