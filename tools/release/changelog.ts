/**
 * Returns the section of CHANGELOG.md on a version, without its heading.
 * @throws Error where it says nothing, or there is something left under Unreleased that would be in no version
 */
export function notesOf(changelog: string, version: string): string {
  const sections = new Map(
    changelog
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const [, name = '', date = '', text = ''] = /^\[(.+?)\](.*)\n([\s\S]*)$/.exec(section) ?? [];
        return [name, { date, text: text.trim() }];
      }),
  );
  if (sections.get('Unreleased')?.text)
    throw new Error(
      `CHANGELOG.md has entries under [Unreleased]: rename it to "[${version}] - <date>", and leave an empty one above.`,
    );
  const found = sections.get(version);
  if (!found?.text)
    throw new Error(`CHANGELOG.md says nothing of ${version}: it needs a section "[${version}] - <date>".`);
  if (!/^ - \d{4}-\d\d-\d\d$/.test(found.date))
    throw new Error(`CHANGELOG.md has no date of ${version}: "[${version}] - 2026-12-01".`);
  return found.text;
}
