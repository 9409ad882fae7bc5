/**
 * Returns the section of CHANGELOG.md on a version, without its heading.
 * @throws Error where it says nothing, or there is something left under Unreleased that would be in no version
 */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const sectionOf = (name: string) => {
    const section = sections.find((text) => text.startsWith(`[${name}]`)) ?? '';
    const [heading = '', ...lines] = section.split('\n');
    return { heading, text: lines.join('\n').trim() };
  };
  const how = `rename it to "[${version}] - <date>", and leave an empty one above`;
  if (sectionOf('Unreleased').text) throw new Error(`CHANGELOG.md has entries under [Unreleased]: ${how}.`);
  const { heading, text } = sectionOf(version);
  if (!text) throw new Error(`CHANGELOG.md says nothing of ${version}: it needs a section "[${version}] - <date>".`);
  if (!/ - \d{4}-\d\d-\d\d$/.test(heading))
    throw new Error(`CHANGELOG.md has no date of ${version}: "[${version}] - 2026-12-01".`);
  return text;
}
