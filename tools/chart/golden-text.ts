import { Document, isCollection, visit } from 'yaml';

// What the chart renders, as YAML that a reviewer reads.

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes' own objects
type Manifest = any;

/** Characters up to which a list or a map takes one line. */
const width = 110;

export interface Golden {
  /** Below this folder, without .yaml. */
  name: string;
  /** The values files, as the first line names them. */
  files: string[];
  objects: Manifest[];
}

/** @param base what is there already, of which only those objects are repeated that are different now */
export function goldenText({ files, objects }: Golden, base?: Golden): string {
  const before = new Map(base?.objects.map((object) => [titleOf(object), JSON.stringify(object)]));
  const different = objects.filter((object) => before.get(titleOf(object)) !== JSON.stringify(object));
  const titles = new Set(objects.map(titleOf));
  const absent = [...before.keys()].filter((title) => !titles.has(title));
  const values = files.length > 0 ? `with ${files.join(' and ')}` : 'with its default values';
  const head = [
    `# Written by make golden: what the chart renders ${values}, and with images of a registry that is none.`,
    ...(base ? [`# Objects that are not here are as in ${base.name}.yaml.`] : []),
    ...absent.map((title) => `# There is no ${title}, as there is in ${base?.name}.yaml.`),
  ];
  return `${head.join('\n')}\n---\n${different.map(textOf).join('---\n')}`;
}

/** Kind and name, without the checksum in that of a Job. */
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
