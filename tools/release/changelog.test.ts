import { notesOf } from './changelog.ts';

const changelog = (unreleased: string, heading = '## [0.2.0] - 2026-12-01') =>
  `# Changelog\n\nText.\n\n## [Unreleased]\n${unreleased}\n${heading}\n\n### Added\n\n- One.\n\n## [0.1.0] - 2026-11-21\n\n- First.\n`;

it('takes the notes of a release from its section', () => {
  expect(notesOf(changelog(''), '0.2.0')).toBe('### Added\n\n- One.');
  expect(notesOf(changelog(''), '0.1.0')).toBe('- First.');
});

it.each([
  ['entries under Unreleased', changelog('\n- Two.\n'), /has entries under \[Unreleased\]: rename it to "\[0.2.0\]/],
  ['no section', changelog('', '## [0.3.0] - 2026-12-01'), /has no section for 0\.2\.0/],
  ['no date', changelog('', '## [0.2.0]'), /has no date for 0\.2\.0/],
])('refuses a changelog with %s', (_, text, message) => {
  expect(() => notesOf(text, '0.2.0')).toThrow(message);
});
