import { Document, isCollection, visit } from 'yaml';

// Rendered objects as YAML for reviewers.

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
type Manifest = any;

/** Characters up to which a list or a map is written on one line. */
const width = 110;

export interface Golden {
  /** Below this folder, without .yaml. */
  name: string;
  /** The values files, which the first line names. */
  files: string[];
  objects: Manifest[];
}

/** @param base another rendering: the text then has only the objects that differ from it */
export function goldenText({ files, objects }: Golden, base?: Golden): string {
  const before = new Map(base?.objects.map((object) => [titleOf(object), JSON.stringify(object)]));
  const different = objects.filter((object) => before.get(titleOf(object)) !== JSON.stringify(object));
  const titles = new Set(objects.map(titleOf));
  const absent = [...before.keys()].filter((title) => !titles.has(title));
  const values = files.length > 0 ? `with ${files.join(' and ')}` : 'with its default values';
  const head = [
    `# Written by make golden: the chart rendered ${values}, and with images of a placeholder registry.`,
    ...(base ? [`# Objects that are not here are the same as in ${base.name}.yaml.`] : []),
    ...absent.map((title) => `# There is no ${title}, unlike in ${base?.name}.yaml.`),
  ];
  return `${head.join('\n')}\n---\n${different.map(textOf).join('---\n')}`;
}

/** Kind and name, without the checksum in the name of a Job. */
const titleOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name.replace(/-[0-9a-f]{8}$/, '')}`;

function textOf(object: Manifest): string {
  const document = new Document(object, { aliasDuplicateObjects: false });
  visit(document, {
    Collection(_, node) {
      const text = JSON.stringify(node.toJSON());
      if (isCollection(node) && text.length <= width && !text.includes('\\n')) node.flow = true;
    },
  });
  return document.toString({ lineWidth: 0 });
}
