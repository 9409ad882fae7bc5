import { readFileSync } from 'node:fs';
import { filesBelow } from './_documents.ts';

const made = /\/(node_modules|dist|generated|golden)\//;
const sources = ['clients', 'examples', 'services', 'tests', 'tools']
  .flatMap(filesBelow)
  .filter((file) => /\.(mjs|tsx?)$/.test(file) && !made.test(file));

/** Words that leave a reader to guess what a comment is about, at the beginning of one. */
const vague = /(?<=^|[^/\S])(?:\/\*\*|\/\/)(?:\n\s*\*)? (?:Of|Who|Whom|Whoever|Whether|What)\b.*/gm;

it('comments begin with a verb or a noun', () => {
  const found = sources.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(vague)].map(([comment]) => `${file}: ${comment}`),
  );
  expect(found).toEqual([]);
});
