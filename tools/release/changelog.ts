interface Section {
  /** End of the heading, after the version. */
  date: string;
  text: string;
}

/** Kinds of Artifact Hub are those of Keep a Changelog. */
export interface Change {
  kind: string;
  description: string;
}

/** Returns the entries of a version; none for one of which CHANGELOG.md says nothing. */
export function changesOf(changelog: string, version: string): Change[] {
  const groups = sectionsOf(changelog).get(version)?.text.split(/^### /m).slice(1) ?? [];
  return groups.flatMap((group) => {
    const [kind = '', ...entries] = group.split(/\n+- /);
    return entries.map((entry) => ({ kind: kind.toLowerCase(), description: entry.trim().replaceAll(/\s+/g, ' ') }));
  });
}

/**
 * Returns the section of CHANGELOG.md on a version, without its heading.
 * @throws Error where it says nothing, or there is something left under Unreleased that would be in no version
 */
export function notesOf(changelog: string, version: string): string {
  const sections = sectionsOf(changelog);
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

function sectionsOf(changelog: string): Map<string, Section> {
  const sections = changelog.split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [, name = '', date = '', text = ''] = /^\[(.+?)\](.*)\n([\s\S]*)$/.exec(section) ?? [];
      return [name, { date, text: text.trim() }];
    }),
  );
}
