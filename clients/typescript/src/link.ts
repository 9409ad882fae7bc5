import { foreign } from './problem.ts';

// A link and its parameters (RFC 8288, 3). A quoted parameter may contain commas and semicolons.
const quoted = /"(?:[^"\\]|\\.)*"/.source;
const value = new RegExp(`<([^>]*)>((?:[^",]|${quoted})*)`, 'g');
const parameter = new RegExp(`;\\s*([^\\s=;,"]+)(?:\\s*=\\s*(${quoted}|[^\\s;,"]*))?`, 'g');

/** @returns target of the link with the relation `next`, relative to the URL of the response */
function next(link: string): string | undefined {
  for (const [, target, rest = ''] of link.matchAll(value)) {
    const parameters = [...rest.matchAll(parameter)].map(([, name = '', text = '']) => ({
      name: name.toLowerCase(),
      text: text.replace(/^"(.*)"$/, '$1').replace(/\\(.)/g, '$1'),
    }));
    // Only the first rel counts. A link with an anchor belongs to another resource.
    const { text: relations = '' } = parameters.find(({ name }) => name === 'rel') ?? {};
    const isNext = relations.toLowerCase().split(/\s+/).includes('next');
    if (isNext && !parameters.some(({ name }) => name === 'anchor')) return target;
  }
  return undefined;
}

/** Query parameters of the next page; a repeated parameter is a list. @throws StoreProblem if the link is not a URL */
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
