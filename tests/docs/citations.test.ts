import { readFileSync } from 'node:fs';
import { root } from '../../tools/paths.ts';
import { documentAt, documents, filesBelow } from './_documents.ts';

const checked = [/^[A-Z]+\.md$/, /^(charts|docs|k8s|services|tests|tools)\//];
const made = /\/(node_modules|dist|generated|golden)\//;
const text = /\.(cjs|css|html|json|lua|md|mjs|prisma|sh|sql|tpl|ts|txt|xml|ya?ml)$|\/Dockerfile$/;

const folders = ['charts', 'k8s', 'services', 'tests', 'tools']
  .flatMap(filesBelow)
  .map((file) => file.slice(root.length + 1));
const files = [...documents.map(({ path }) => path), ...folders].filter(
  (file) => text.test(file) && !made.test(file) && checked.some((pattern) => pattern.test(file)),
);

const contract = documentAt('docs/contract.md').text;
const sections = new Set([...contract.matchAll(/^(?:##+ |\*\*)(\d+(?:\.\d+)?) /gm)].map(([, number]) => number));

interface Citation {
  place: string;
  cited: string;
}

const citations = (pattern: RegExp): Citation[] =>
  files.flatMap((file) =>
    readFileSync(`${root}/${file}`, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        [...line.matchAll(pattern)].map(([cited]) => ({ place: `${file}:${index + 1}`, cited })),
      ),
  );

describe('citations', () => {
  it('refer to sections of the contract that are numbered without gaps', () => {
    const numbers = [...sections].map((section) => String(section).split('.').map(Number));
    numbers.forEach(([chapter = 0, section], index) => {
      const [previousChapter = 0, previousSection = 0] = numbers[index - 1] ?? [];
      expect([chapter, section]).toEqual(
        section === undefined ? [previousChapter + 1, undefined] : [previousChapter, previousSection + 1],
      );
    });
  });

  it('refer to existing sections', () => {
    // Also several at once: contract 2.3, 3.1 and 4
    const cited = citations(/\bcontract(\.md)?,? \d+(\.\d+)?((,| and) \d+\.\d+)*/g);
    expect(cited.length).toBeGreaterThan(10);
    const isUnknown = ({ cited }: Citation) => cited.match(/\d+(\.\d+)?/g)?.some((number) => !sections.has(number));
    expect(cited.filter(isUnknown)).toEqual([]);
  });

  it('never refer to documents outside the repository', () => {
    // Written in two parts, so that this file does not cite them.
    const absent = new RegExp(`\\b${'spec'}: [A-Z]|\\b${'decisions'} \\d`, 'g');
    expect(citations(absent)).toEqual([]);
  });
});
