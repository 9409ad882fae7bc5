/**
 * Returns the section of CHANGELOG.md for a version, without its heading.
 * @throws Error if there is no such section, it has no date, or entries are left under Unreleased, which would be in no version
 */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const sectionOf = (name: string) => {
    const section = sections.find((text) => text.startsWith(`[${name}]`)) ?? '';
    const [heading = '', ...lines] = section.split('\n');
    return { heading, text: lines.join('\n').trim() };
  };
  const how = `rename it to "[${version}] - <date>", and add an empty [Unreleased] above`;
  if (sectionOf('Unreleased').text) throw new Error(`CHANGELOG.md has entries under [Unreleased]: ${how}.`);
  const { heading, text } = sectionOf(version);
  if (!text) throw new Error(`CHANGELOG.md has no section for ${version}: add "[${version}] - <date>".`);
  if (!/ - \d{4}-\d\d-\d\d$/.test(heading))
    throw new Error(`CHANGELOG.md has no date for ${version}: write it as "[${version}] - 2026-12-01".`);
  return text;
}
