import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../tools/paths.ts';
import { read } from '../kit/read.ts';
import { type Document, documentAt, documents } from './_documents.ts';

const withoutCode = (text: string) => text.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '').replaceAll(/`[^`\n]*`/g, 'x');

/** Anchors as GitHub makes them: lower case, no punctuation, hyphens for spaces, a number if one repeats. */
function anchorsOf(text: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  const headings = text.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '').matchAll(/^#{1,6} +(.+)$/gm);
  for (const [, heading = ''] of headings) {
    const slug = heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

/** Returns what is wrong with a link, or undefined. */
function problemOf(document: Document, link: string): string | undefined {
  const [path = '', anchor] = link.split('#', 2);
  const file = path === '' ? document.path : join(dirname(document.path), path);
  if (!existsSync(join(root, file))) return `${document.path}: ${link} leads nowhere`;
  if (anchor === undefined || statSync(join(root, file)).isDirectory()) return undefined;
  return anchorsOf(read(file)).has(anchor) ? undefined : `${document.path}: ${link} has no such heading`;
}

describe('links', () => {
  const links = documents.flatMap((document) =>
    [...withoutCode(document.text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => ({ document, link })),
  );
  const internal = links.filter(({ link }) => !/^[a-z]+:/.test(link));

  it('lead to existing files and headings', () => {
    expect(internal.length).toBeGreaterThan(50);
    const problems = internal.map(({ document, link }) => problemOf(document, link));
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });

  it('to other sites use HTTPS', () => {
    expect(links.map(({ link }) => link).filter((link) => link.startsWith('http:'))).toEqual([]);
  });

  it.each(['nowhere.md', '#nowhere', 'contract.md#nowhere'])('to %s would be noticed', (link) => {
    expect(problemOf(documentAt('docs/glossary.md'), link)).toBeDefined();
  });
});

describe('contents of documents', () => {
  it.each(['docs/design.md', 'docs/security.md'])('every file and folder named in %s exists', (document) => {
    const named = [...documentAt(document).text.matchAll(/`((?:charts|services|tests|tools)\/[^`]+)`/g)].map(
      ([, path = '']) => path,
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('every decision has its context, rejected alternatives and consequences', () => {
    const records = documents.filter(({ path }) => /^docs\/decisions\/\d{4}-/.test(path));
    expect(records.length).toBeGreaterThan(11);
    for (const { text } of records) {
      const parts = [...text.matchAll(/^\*\*(\w+)\.\*\*/gm)].map(([, part]) => part);
      expect(parts).toEqual(['Context', 'Decision', 'Rejected', 'Consequences']);
    }
  });
});
